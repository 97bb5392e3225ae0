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
	handsIn(t, expect(t, "yarn", standIn(t, "yarn", classicYarn(own, `{"cafile":"/etc/ca"}`)), "", "yarn.example.com"),
		map[string]string{".yarnrc": `"registry" "https://yarn.example.com"` + "\n"})
	got := expect(t, "yarn", standIn(t, "yarn", classicYarn(own, `{"registry":"https://alice:sesame@mirror.example.com/npm/","@corp:registry":"http://corp.example.com:4873/","//mirror.example.com/npm/:_authToken":"sesame"}`)),
		noLogin+"mirror.example.com", "corp.example.com:4873", "mirror.example.com")
	handsIn(t, got, map[string]string{".yarnrc": `"@corp:registry" "http://corp.example.com:4873/"
"registry" "https://mirror.example.com/npm/"
`})
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
	environ := append(standIn(t, "yarn", laterYarn(server, "undefined")), "YARN_NPM_REGISTRY_SERVER=https://alice:sesame@mirror.example.com/yarn")
	handsIn(t, expect(t, "yarn", environ, noLogin+"mirror.example.com", "mirror.example.com"), map[string]string{
		".yarnrc.yml": "npmRegistryServer: \"https://mirror.example.com/yarn\"\n", "YARN_NPM_REGISTRY_SERVER": "https://mirror.example.com/yarn",
	})
	got := expect(t, "yarn", standIn(t, "yarn", laterYarn(`"https://mirror.example.com"`, `{"corp":{"npmAuthToken":"sesame","npmRegistryServer":"http://corp.example.com:8443"},"team":{"npmRegistryServer":null}}`)),
		noLogin+"corp.example.com:8443", "corp.example.com:8443", "mirror.example.com")
	handsIn(t, got, map[string]string{".yarnrc.yml": `npmRegistryServer: "https://mirror.example.com"
npmScopes:
  "corp":
    npmRegistryServer: "http://corp.example.com:8443"
unsafeHttpWhitelist:
  - "corp.example.com"
`})
	expect(t, "yarn", standIn(t, "yarn", laterYarn(server, "sesame")), "its answer cannot be read")
	expect(t, "yarn", standIn(t, "yarn", laterYarn("null", "undefined")), "its answer cannot be read")
}
