// Package planted says which known bug a program was built with, for the tests that have to find it: none, unless the build
// tag planted is set and the linker names one (-X .../internal/planted.bug=NAME). Without the tag the compiler leaves out
// what depends on it. See scripts/planted.sh.
package planted
