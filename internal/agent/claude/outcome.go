package claude

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// Close says what the program claimed. A result line is the claim; that the
// program also exited with 0 is part of it.
func (r *reader) Close(exitCode int) agent.Outcome {
	outcome := agent.Outcome{
		SessionID: r.session, Turns: int(r.turns),
		CostUSD: r.tally.usage.CostUSD, Usage: *r.tally.usage.Clone(), Observed: true,
	}
	if r.result == nil {
		outcome.Class, outcome.Message = silent(exitCode)
		return outcome
	}
	outcome.Summary = statement(r.result)
	outcome.Class, outcome.Message = r.verdict(exitCode)
	outcome.OK = outcome.Class == ""
	if outcome.Class == agent.ClassUsageLimit {
		outcome.RetryAt = r.resetTime()
	}
	return outcome
}

// silent classifies a run without a result line.
func silent(exitCode int) (agent.Class, string) {
	if exitCode == 0 {
		return agent.ClassProtocol, "Claude Code ended without a result"
	}
	return agent.ClassCrashed, "Claude Code ended without a result, " + exitText(exitCode)
}

func exitText(exitCode int) string {
	if exitCode > 128 {
		return fmt.Sprintf("by signal %d", exitCode-128)
	}
	return fmt.Sprintf("with exit code %d", exitCode)
}

func (r *reader) verdict(exitCode int) (agent.Class, string) {
	if _, told := r.result["is_error"]; !told {
		return agent.ClassProtocol, "the result does not say whether it is an error"
	}
	if get[bool](r.result, "is_error") {
		class, text := r.failureClass(), cmp.Or(statement(r.result), "Claude Code reported an error and ended "+exitText(exitCode))
		if class == agent.ClassAuth {
			text += "; " + CredentialAdvice
		}
		return class, text
	}
	if exitCode != 0 {
		return agent.ClassCrashed, "Claude Code reported success but ended " + exitText(exitCode)
	}
	if r.turns == 0 && get[string](r.result, "terminal_reason") == "" {
		return agent.ClassProtocol, "Claude Code took no turn; a hook may have blocked the prompt"
	}
	return "", ""
}

// failureClass reads the several places where the program says what went
// wrong; the subtype is "success" even for a failed call to the model.
func (r *reader) failureClass() agent.Class {
	switch get[string](r.result, "subtype") {
	case "error_max_turns":
		return agent.ClassMaxTurns
	case "error_max_budget_usd":
		return agent.ClassBudget
	}
	if get[string](r.result, "stop_reason") == "refusal" {
		return agent.ClassRefused
	}
	switch r.failure {
	case "authentication_failed", "oauth_org_not_allowed":
		return agent.ClassAuth
	case "rate_limit", "billing_error":
		return agent.ClassUsageLimit
	}
	status := count(r.result, "api_error_status")
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return agent.ClassAuth
	case http.StatusTooManyRequests, http.StatusPaymentRequired:
		return agent.ClassUsageLimit
	}
	if get[string](r.result, "terminal_reason") != "api_error" {
		return agent.ClassCrashed
	}
	// A call that failed without a status never reached the service.
	if status == 0 && (r.failure == "server_error" || r.failure == "unknown") {
		return agent.ClassNetwork
	}
	return agent.ClassAPIError
}

// resetTime is when the limit that was hit ends, where the service said so.
func (r *reader) resetTime() *time.Time {
	const year10000 = 253402300800
	seconds := count(r.limit, "resetsAt")
	if !r.limited() || seconds == 0 || seconds >= year10000 {
		return nil
	}
	at := time.Unix(seconds, 0).UTC()
	return &at
}
