package registry

import (
	"fmt"
	"testing"
)

// classicYarn prints what yarn 1.22 does: its own settings, then those from npm's files.
func classicYarn(own, npm string) string {
	return fmt.Sprintf(`case "$*" in
--version) echo 1.22.22 ;;
'config list --json') cat <<'END'
{"type":"info","data":"yarn config"}
{"type":"inspect","data":%s}
{"type":"info","data":"npm config"}
{"type":"inspect","data":%s}
END
;;
*) exit 2 ;;
esac
`, own, npm)
}

func TestClassicYarn(t *testing.T) {
	const own = `{"save-prefix":"^","registry":"https://yarn.example.com","strict-ssl":true}`
	expect(t, "yarn", standIn(t, "yarn", classicYarn(own, `{"cafile":"/etc/ca"}`)), "", "yarn.example.com")
	expect(t, "yarn", standIn(t, "yarn", classicYarn(own, `{"registry":"https://alice:sesame@mirror.example.com/npm/","@corp:registry":"http://corp.example.com:4873/","//mirror.example.com/npm/:_authToken":"sesame"}`)),
		"", "corp.example.com:4873", "mirror.example.com")
}

// laterYarn prints what yarn 4 does.
func laterYarn(server, scopes string) string {
	return fmt.Sprintf(`case "$*" in
--version) echo 4.18.1 ;;
'config get npmRegistryServer --json') echo '%s' ;;
'config get npmScopes --json') echo '%s' ;;
*) exit 2 ;;
esac
`, server, scopes)
}

func TestLaterYarn(t *testing.T) {
	const server = `"https://alice:sesame@mirror.example.com/yarn"`
	expect(t, "yarn", standIn(t, "yarn", laterYarn(server, "undefined")), "", "mirror.example.com")
	expect(t, "yarn", standIn(t, "yarn", laterYarn(server, `{"corp":{"npmAuthToken":"sesame","npmRegistryServer":"https://corp.example.com:8443"},"team":{"npmRegistryServer":null}}`)),
		"", "corp.example.com:8443", "mirror.example.com")
	expect(t, "yarn", standIn(t, "yarn", laterYarn(server, "sesame")), "its answer cannot be read")
	expect(t, "yarn", standIn(t, "yarn", laterYarn("null", "undefined")), "its answer cannot be read")
}
