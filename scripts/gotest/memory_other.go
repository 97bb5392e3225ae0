//go:build !linux

package main

import "os/exec"

const memory = ""

// inMemory are no arguments: only Linux gives a program memory as a folder.
func inMemory(string) []string { return nil }

func startInMemory(cmd *exec.Cmd, _ string) error { return cmd.Start() }
