package wording

// How the text of a pull request folds the plan, so that forges and the cockpit open it on demand.
const (
	PlanBegins = "\n<details>\n<summary>The plan</summary>\n"
	PlanEnds   = "\n</details>\n"
)
