package api

// ServeWatchWithin is ServeWatch for clients who may leave a piece unread for
// another time than usual.
var ServeWatchWithin = serveWatch
