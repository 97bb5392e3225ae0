//go:build !planted_effectfirst

package engine

// effectsFirst is a bug that a build tag plants.
const effectsFirst = false
