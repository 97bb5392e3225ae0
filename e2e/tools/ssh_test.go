package tools

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestGitOverSSH: ssh knows no proxy, and still gets to a listed host and is told of one that is not. The server hangs up
// after the first lines, so that no key is needed.
func TestGitOverSSH(t *testing.T) {
	t.Parallel()
	need(t, "git")
	need(t, "ssh")
	listener, err := net.Listen("tcp4", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this machine has no second loopback address: %v", err)
	}
	greeted := make(chan string, 1)
	go func() {
		defer close(greeted)
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			fmt.Fprint(conn, "SSH-2.0-test\r\n")
			line, _ := bufio.NewReader(conn).ReadString('\n') // an empty one is not what is expected
			greeted <- line
			_ = conn.Close()
		}
	}()
	host := listener.Addr().String()
	tr := trial{line: "git clone ssh://git@" + host + "/lib.git", network: shim.Network{Allow: []string{host}, Private: []string{host + "=127.0.0.2"}}}
	open := tr.run(t)
	tr.network = shim.Network{}
	closed := tr.run(t)
	_ = listener.Close()
	if line := <-greeted; !strings.HasPrefix(line, "SSH-2.0-OpenSSH") || len(open.hosts(true)) != 1 || len(open.hosts(false)) != 0 {
		t.Errorf("listed: the server heard %q; on record is %+v; git said\n%s", line, open.rows, open.said)
	}
	if len(closed.hosts(true)) != 0 || len(closed.hosts(false)) != 1 || closed.took > atOnce ||
		!strings.Contains(closed.said, "refused: it is not on the network list.\nAsk for "+host+".") {
		t.Errorf("not listed: it took %v; on record is %+v; git said\n%s", closed.took, closed.rows, closed.said)
	}
	for range greeted { // until the server has ended
	}
}
