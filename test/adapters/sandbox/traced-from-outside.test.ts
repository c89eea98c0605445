import { expect, test } from 'vitest'
import { asFromInside } from '../../../src/adapters/sandbox/traced-from-outside.ts'

const shell = `execve("/bin/sh", ["/bin/sh", "-c", "echo 'drydock: started' >&2; exec 2>&1; exec /bin/sh -c \\"$1\\"", "sh", "true"], 0x1) = 0`
const made = (inside: number, outside: number) => `clone(flags=SIGCHLD) = ${inside} /* ${outside} in strace's PID NS */`

test('a trace from outside has what the command does, with the numbers of its processes inside', () => {
  const lines = [
    '1001 execve("/usr/bin/bwrap", ["bwrap", "--args", "3"], 0x1) = 0',
    // A short number is followed by more spaces.
    `1001  ${made(1, 702)}`,
    `702   ${made(2, 703)}`,
    '703   execve("/usr/bin/prlimit", ["/usr/bin/prlimit", "--", "/bin/sh"], 0x1) = 0',
    `703   ${shell}`,
    '703   execve("/bin/sh", ["/bin/sh", "-c", "true"], 0x1) = 0',
    // A process may appear before the call that created it.
    '704   openat(AT_FDCWD</repo>, "a.js", O_RDONLY) = 3</repo/a.js>',
    `703   ${made(3, 704)}`,
    '702   openat(AT_FDCWD</>, "/proc/self/fd", O_RDONLY) = 3</proc/1/fd>',
  ]
  expect(asFromInside(lines, 1)).toEqual([
    '2   execve("/bin/sh", ["/bin/sh", "-c", "true"], 0x1) = 0',
    '3   openat(AT_FDCWD</repo>, "a.js", O_RDONLY) = 3</repo/a.js>',
    '2   clone(flags=SIGCHLD) = 3',
  ])
})

test('the starter of services, and the services, are left out of it', () => {
  const lines = [
    `10001 ${made(2, 10_003)}`,
    `10003 ${shell}`,
    '10003 execve("/bin/sh", ["/bin/sh", "-c", "starter || exit 125"], 0x1) = 0',
    `10003 ${made(3, 10_004)}`,
    `10004 ${made(4, 10_005)}`,
    '10003 execve("/bin/sh", ["/bin/sh", "-c", "true"], 0x1) = 0',
    '10005 openat(AT_FDCWD</>, "/var/lib/data", O_RDONLY) = 3</var/lib/data>',
    `10005 ${made(6, 10_006)}`,
    '10006 openat(AT_FDCWD</>, "/var/lib/data", O_RDONLY) = 3</var/lib/data>',
  ]
  expect(asFromInside(lines, 2)).toEqual(['2 execve("/bin/sh", ["/bin/sh", "-c", "true"], 0x1) = 0'])
})

test('if the command never started there is no trace', () => {
  expect(asFromInside([`10001 ${made(2, 10_003)}`, `10003 ${shell}`], 1)).toBeNull()
  expect(asFromInside([], 1)).toBeNull()
})
