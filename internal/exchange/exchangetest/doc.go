// Package exchangetest is the suite that every form of an exchange has to pass, and a station for those over HTTP: engines on
// one store, and real workers that see nothing of their folders.
package exchangetest
