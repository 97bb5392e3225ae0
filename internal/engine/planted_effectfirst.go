//go:build planted_effectfirst

package engine

// effectsFirst hands the effects of a step out before the step is durable. The
// tests must fail under this build tag.
const effectsFirst = true
