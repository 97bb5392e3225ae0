package sandbox

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// TestX32IsNotThere: its numbers belong to the same architecture. Few kernels serve them, so the filter itself is asked.
func TestX32IsNotThere(t *testing.T) {
	vm, err := bpf.NewVM(filter(ownArch, foreignABI))
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []uint32{unix.SYS_READ, unix.SYS_KEYCTL, unix.SYS_SOCKET, unix.SYS_UNSHARE, 520} {
		if got, err := vm.Run(call(ownArch, number|0x40000000, unix.AF_INET)); err != nil || uint32(got) != unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS) {
			t.Errorf("call %d: %#x (%v)", number, got, err)
		}
	}
}

// executable is a program of nothing but code, which is loaded at the address 0x400000.
func executable(code []byte) []byte {
	const header, base = 64 + 56, 0x400000
	size := uint64(header + len(code))
	le := binary.LittleEndian
	elf := []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00\x01\x00\x00\x00")
	elf = le.AppendUint64(elf, base+header) // entry
	elf = le.AppendUint64(elf, 64)          // program headers
	elf = le.AppendUint64(elf, 0)
	elf = append(elf, 0, 0, 0, 0, 64, 0, 56, 0, 1, 0, 0, 0, 0, 0, 0, 0)
	elf = append(elf, 1, 0, 0, 0, 5, 0, 0, 0) // to load, readable and executable
	for _, n := range []uint64{0, base, base, size, size, 0x1000} {
		elf = le.AppendUint64(elf, n)
	}
	return append(elf, code...)
}

// TestForeignCallsAreClosed asks for the number of the session keyring by the numbers of other kinds of programs. The code
// ends with 0 where it gets one, else with 1.
func TestForeignCallsAreClosed(t *testing.T) {
	end := []byte{
		0x31, 0xff, // xor edi, edi
		0x85, 0xc0, // test eax, eax
		0x79, 0x02, // jns +2
		0xff, 0xc7, // inc edi
		0xb8, 0x3c, 0, 0, 0, // mov eax, exit
		0x0f, 0x05, // syscall
	}
	for name, code := range map[string][]byte{
		"int 0x80": {
			0xb8, 0x20, 0x01, 0, 0, // mov eax, 288: keyctl of 32-bit programs
			0x31, 0xdb, // xor ebx, ebx: KEYCTL_GET_KEYRING_ID
			0xb9, 0xfd, 0xff, 0xff, 0xff, // mov ecx, KEY_SPEC_SESSION_KEYRING
			0x31, 0xd2, // xor edx, edx
			0xcd, 0x80, // int 0x80
		},
		"x32": {
			0xb8, 0xfa, 0, 0, 0x40, // mov eax, keyctl of x32
			0x31, 0xff, // xor edi, edi
			0xbe, 0xfd, 0xff, 0xff, 0xff, // mov esi, KEY_SPEC_SESSION_KEYRING
			0x31, 0xd2, // xor edx, edx
			0x0f, 0x05, // syscall
		},
		"the ordinary way": {
			0xb8, 0xfa, 0, 0, 0, // mov eax, keyctl
			0x31, 0xff, 0xbe, 0xfd, 0xff, 0xff, 0xff, 0x31, 0xd2, 0x0f, 0x05,
		},
	} {
		t.Run(name, func(t *testing.T) {
			asEverybody(t, func(t *testing.T, u user) {
				file := filepath.Join(u.Dir, "foreign")
				if err := os.WriteFile(file, executable(slices.Concat(code, end)), 0o755); err != nil {
					t.Fatal(err)
				}
				outside := exec.Command(file)
				outside.SysProcAttr = u.Attr
				t.Logf("outside: %v", outside.Run())
				spec := u.spec()
				spec.Argv = []string{file}
				launch, err := Command(Sandbox, spec)
				if err != nil {
					t.Fatal(err)
				}
				if out, err := launched(t, launch, nil, u.Attr); err == nil {
					t.Errorf("inside was possible: %s", out)
				} else {
					t.Logf("inside: %v", err)
				}
			})
		})
	}
}
