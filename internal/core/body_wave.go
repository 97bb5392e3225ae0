package core

// The events of a run whose work is delegated in waves.
const (
	TypeWaveOpened    Type = "WaveOpened"
	TypeWaveClosed    Type = "WaveClosed"
	TypeBriefAdmitted Type = "BriefAdmitted"
	TypeBriefRefused  Type = "BriefRefused"
	TypeBriefEnded    Type = "BriefEnded"
	TypeCourseRefused Type = "CourseRefused"
)

// WaveOpened lets the admitted delegations be worked on.
type WaveOpened struct {
	Wave int `json:"wave"`
}

// WaveClosed takes in what the planner made of a wave; wave 0 is its first look
// at the goal.
type WaveClosed struct {
	Wave     int    `json:"wave"`
	Course   Course `json:"course"`
	Reason   string `json:"reason,omitempty"`
	Compact  string `json:"compact,omitempty"` // digests of its documents
	Detailed string `json:"detailed,omitempty"`
	// Notes are what of its words could not be followed, told to the planner.
	Notes []string `json:"notes,omitempty"`
}

// BriefAdmitted admits a delegation.
type BriefAdmitted struct {
	Brief Brief `json:"brief"`
}

// BriefRefused says why one was not let through.
type BriefRefused struct {
	BriefRefusal
}

// BriefEnded ends a delegation without a result: the planner dropped it, or
// it cannot be done.
type BriefEnded struct {
	Delegation string           `json:"delegation_id"`
	Status     DelegationStatus `json:"status"` // failed or dropped
	Reason     string           `json:"reason"`
}

// CourseRefused says why the planner's decision is not followed.
type CourseRefused struct {
	Course  Course   `json:"course"`
	Reasons []string `json:"reasons"`
}

func (WaveOpened) event() Type    { return TypeWaveOpened }
func (WaveClosed) event() Type    { return TypeWaveClosed }
func (BriefAdmitted) event() Type { return TypeBriefAdmitted }
func (BriefRefused) event() Type  { return TypeBriefRefused }
func (BriefEnded) event() Type    { return TypeBriefEnded }
func (CourseRefused) event() Type { return TypeCourseRefused }
