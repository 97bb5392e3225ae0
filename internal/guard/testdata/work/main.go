package main

// CODE-7f3a marks what is code.
func main() { println("hello") }
