import { expect, test } from 'vitest'
import { awareOfOthers } from '../../src/gate/tracing/aware-of-others.ts'

const few = {
  gone: ['test/b.test.js'],
  standIns: ['test/b.test.jx'],
  folder: '',
  artifactDir: '/state/run',
  files: new Set(['test/a.test.js', 'test/link']),
  readOnlyPaths: ['/home/me/.tools'],
}

const at = 'AT_FDCWD</repo>'
const start = [
  '9 execve("/bin/sh", ["/bin/sh", "-c", "/bin/sh -c $1; echo $? >$2"], 0x1 /* 9 vars */) = 0',
  '9 clone(child_stack=NULL, flags=SIGCHLD) = 10',
]
/** A shell starts node's runner, which lists the tests and starts one of them. */
const runner = [
  '10 execve("/bin/sh", ["/bin/sh", "-c", "node --test"], 0x1 /* 9 vars */) = 0',
  '10 execve("/usr/bin/node", ["node", "--test"], 0x1 /* 9 vars */) = 0',
  `10 openat(${at}, "/repo/package.json", O_RDONLY|O_CLOEXEC) = 18</repo/package.json>`,
  '10 getdents64(18</repo/test>, 0x1 /* 3 entries */, 32768) = 90',
  '10 clone3({flags=CLONE_VM|CLONE_THREAD, exit_signal=0}, 88) = 11',
  `11 statx(${at}, "/repo/test/b.test.jx", AT_STATX_SYNC_AS_STAT, STATX_ALL, {stx_size=0, ...}) = 0`,
  '10 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x1) = 20',
]
const tested = [
  ...runner,
  '20 execve("/usr/bin/node", ["/usr/bin/node", "test/a.test.js"], 0x1 /* 9 vars */) = 0',
  `20 openat(${at}, "/repo/test/a.test.js", O_RDONLY|O_CLOEXEC) = 17</repo/test/a.test.js>`,
]
const read = (...lines: readonly string[]) => awareOfOthers([...start, ...lines, ''].join('\n'), few)
const told = (...lines: readonly string[]) => read(...tested, ...lines)

test('node’s own runner may look for test files, and the test that it starts knows nothing of it', () => {
  expect(told()).toBeNull()
})

test.each([
  ['reads files of the tree', `20 openat(${at}, "src/a.js", O_RDONLY) = 17</repo/src/a.js>`],
  [
    'does not find a module',
    `20 statx(${at}, "/repo/src/none.js", 0, STATX_ALL, 0x1) = -1 ENOENT (No such file or directory)`,
  ],
  ['lists another folder', '20 getdents64(17</repo/src>, 0x1 /* 3 entries */, 32768) = 90'],
  ['looks at its folder', `20 statx(${at}, "/repo/test", 0, STATX_ALL, {stx_size=4096, ...}) = 0`],
  [
    'looks in a folder that a sandbox lacks',
    `20 statx(${at}, "/src/a.js", 0, STATX_ALL, 0x1) = -1 ENOENT (No such file or directory)`,
  ],
  ['finds no link', '20 readlink("/repo/test/a.test.js", 0x1, 1023) = -1 EINVAL (Invalid argument)'],
  ['reads what is installed', `20 openat(${at}, "/home/me/.tools/a", O_RDONLY) = 17</home/me/.tools/a>`],
  ['looks above what is installed', `20 statx(${at}, "/home/me", 0, STATX_ALL, {stx_size=4096, ...}) = 0`],
  ['reads its own maps', `20 openat(${at}, "/proc/self/maps", O_RDONLY) = 17</proc/20/maps>`],
])('a test that %s knows of no other', (_what, line) => {
  expect(told(line)).toBeNull()
})

test('a test may use a folder that it made, also from a program that it started', () => {
  const lines = [
    '20 mkdir("/tmp/drydock-tmp/own-1", 0700) = 0',
    '20 clone(child_stack=NULL, flags=SIGCHLD) = 30',
    '30 chdir("/tmp/drydock-tmp/own-1") = 0',
    '30 execve("/usr/bin/git", ["git", "init"], 0x1 /* 9 vars */) = 0',
    '30 access("HEAD", F_OK) = -1 ENOENT (No such file or directory)',
    '30 getdents64(3</tmp/drydock-tmp/own-1>, 0x1 /* 2 entries */, 32768) = 48',
  ]
  expect(told(...lines)).toBeNull()
  expect(told(...lines.slice(1))).toBe('chdir of /tmp/drydock-tmp/own-1')
})

const missing = '-1 ENOENT (No such file or directory)'

test.each([
  ['lists its folder', '20 getdents64(17</repo/test>, 0x1 /* 3 entries */, 32768) = 90'],
  ['looks for one that is gone', `20 statx(${at}, "/repo/test/b.test.js", 0, STATX_ALL, 0x1) = ${missing}`],
  ['looks from its folder', `20 chdir("test") = 0\n20 access("B.test.js", F_OK) = ${missing}`],
  ['makes a link to one that is gone', '20 symlink("/repo/test/b.test.js", "/tmp/link") = 0'],
  ['follows a link of the tree', `20 stat("/repo/test/link", 0x1) = ${missing}`],
  ['opens what stands in its place', `20 openat(${at}, "test/b.test.jx", O_RDONLY) = 17</repo/test/b.test.jx>`],
  ['reads the index of git', `20 openat(${at}, ".git/index", O_RDONLY) = 17</repo/.git/index>`],
  ['reads the command of its parent', `20 openat(${at}, "/proc/10/cmdline", O_RDONLY) = 17</proc/10/cmdline>`],
  ['reads it by another way', '20 open("../proc/self/../10/cmdline", O_RDONLY) = 17</proc/10/cmdline>'],
  ['looks for its tracer', `20 openat(${at}, "/proc/self/status", O_RDONLY) = 17</proc/20/status>`],
  ['looks for what was left', `20 access("/tmp/drydock-tmp/left", F_OK) = ${missing}`],
  ['looks for what was left in the run', `20 access("/state/run/build/left", F_OK) = ${missing}`],
  ['adds to what was left', `20 openat(${at}, "/tmp/left", O_WRONLY|O_CREAT|O_APPEND, 0666) = 17</tmp/left>`],
  ['lists what was left', '20 getdents64(17</tmp/drydock-tmp>, 0x1 /* 3 entries */, 32768) = 90'],
  ['asks a server', '20 connect(17<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(80)}, 16) = 0'],
  ['asks the kernel by a ring', '20 io_uring_setup(64, {flags=0}) = 17<anon_inode:[io_uring]>'],
  ['is not understood', '20 openat(AT_FDCWD</repo>, "/repo/te'],
  ['has a path that is cut off', `20 openat(${at}, "/repo/te"..., O_RDONLY) = ${missing}`],
  ['has a process that nobody started', '77 getdents64(17</repo/src>, 0x1 /* 3 entries */, 32768) = 90'],
  ['has the number of an earlier one', '20 clone(child_stack=NULL, flags=SIGCHLD) = 20'],
  ['has the number of the first one', '20 clone(child_stack=NULL, flags=SIGCHLD) = 9'],
])('a test that %s may know of others', (_what, lines) => {
  expect(told(...lines.split('\n'))).not.toBeNull()
})

test('a child process of a test knows what the test knows, including node’s own runner', () => {
  const nested = [
    '20 clone(child_stack=NULL, flags=SIGCHLD) = 30',
    '30 execve("/usr/bin/node", ["node", "--test"], 0x1 /* 9 vars */) = 0',
    '30 getdents64(18</repo/test>, 0x1 /* 3 entries */, 32768) = 90',
  ]
  expect(told(...nested)).toBe('a list of /repo/test')
})

test.each([
  ['a script of the repository', `10 openat(${at}, "/repo/run.js", O_RDONLY) = 18</repo/run.js>`],
  ['a module beside the runner', `10 openat(${at}, "/repo/set-up.js", O_RDONLY) = 18</repo/set-up.js>`],
])('%s may hand on what it lists', (_what, line) => {
  expect(read(...runner, line)).not.toBeNull()
})

test('a program in an argument may hand on what it lists', () => {
  const given = runner.map((line) => line.replace('"--test"', '"-e", "code", "--test"'))
  expect(read(...given)).toBe('a list of /repo/test')
})

test.each([
  ['node --test --test-reporter=spec test/*.test.js', null],
  ['N="$(ls)" node --test test/*.test.js', 'a list of /repo/test'],
  ['set -- test/*; node --test', 'a list of /repo/test'],
  ['node run.js test/*.test.js', 'a list of /repo/test'],
])('a shell may expand a pattern for node’s runner alone: %s', (command, expected) => {
  const shell = [
    `10 execve("/bin/sh", ["/bin/sh", "-c", ${JSON.stringify(command)}], 0x1 /* 9 vars */) = 0`,
    '10 getdents64(3</repo/test>, 0x1 /* 3 entries */, 32768) = 90',
    ...tested.slice(1),
  ]
  expect(read(...shell)).toBe(expected)
})
