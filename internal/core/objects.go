package core

// Objects are the digests of the objects that an event's body names, and that must therefore be kept.
func Objects(body Body) (digests []string) {
	name := func(all ...string) {
		for _, digest := range all {
			if digest != "" {
				digests = append(digests, digest)
			}
		}
	}
	outputs := func(results []CheckResult) {
		for _, r := range results {
			name(r.Output)
		}
	}
	files := func(all []PlanFile) {
		for _, f := range all {
			name(f.Digest)
		}
	}
	switch b := body.(type) {
	case RunStarted:
		name(append([]string{b.BasePack}, b.BaseRests...)...)
	case AttemptStarted:
		name(b.Prompt)
	case AttemptExited:
		name(b.Transcript)
		if d := b.Delivery; d != nil {
			name(d.Pack, d.Workspace)
			for _, a := range d.Artifacts {
				name(a.Digest)
			}
		}
	case VerifyConcluded:
		outputs(b.Results)
	case ValidateConcluded:
		outputs(b.Results)
	case PublishPrepared:
		outputs(b.Results)
	case MergeConcluded:
		name(b.Pack)
		outputs(b.Results)
	case MergeGranted:
		name(b.Pack)
	case PlanRead:
		name(b.Plan.Digest)
	case PlanUpdated:
		name(b.Plan.Digest, b.Pack)
	case PlanWriteRequested:
		name(b.Artifact)
		files(b.Files)
	case PlanProposed:
		files(b.Files)
	case WaveClosed:
		name(b.Compact, b.Detailed)
	default: // names none: see TestObjects
	}
	return digests
}
