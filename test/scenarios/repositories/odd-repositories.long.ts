import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, open, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import { call, change, createFixture, type Fixture, plan, resultOf, runHere, write } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** A repository whose only step prints its view of the files, and fails while value.txt is old. */
async function given(look: string, files: Readonly<Record<string, string>> = {}) {
  const steps = [{ name: 'look', command: `${look}\ngrep -q new value.txt`, timeout_sec: 60 }]
  fixture = await createFixture({ steps, files, config: { editor: { coding_iterations: 3 } } })
}

async function commitAll() {
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', 'odd')
}

async function gitIn(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', folder, ...args], { env: fixture.env })
  return stdout.trim()
}

/** Verifies a commit, or the working tree, and returns the output of the step. */
async function seen({ commit, repo = fixture.repo }: { commit?: string; repo?: string } = {}): Promise<string> {
  const args = ['verify', ...(commit === undefined ? [] : [commit]), '--json', '--repo', repo]
  const ended = await runHere(args, fixture.env)
  const answer = resultOf(ended).answer as VerifierResponse
  expect(answer.status, ended.stderr).toBe('FAIL')
  return answer.tail_log ?? ''
}

/**
 * Makes the calls in a task that gets stuck and is retried to its end, and again in one whose
 * change is applied.
 */
async function everyWay(calls: readonly object[], repo = fixture.repo) {
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [inOneTurn(calls), { text: 'Hm.' }, { text: 'Hm.' }],
    'editor/task@2/PLANNING': [plan()],
    'editor/task@2/CODING': [write('new\n'), change()],
  })
  const stuck = await runHere(['task', 'get stuck', '--model', model, '--json', '--repo', repo], fixture.env)
  expect(stuck.exitCode, stuck.stderr).toBe(3)
  const retried = await runHere(['retry', '--json', '--repo', repo], fixture.env)
  expect(retried.exitCode, retried.stderr).toBe(0)
  return { branch: resultOf(retried).branch as string, applied: await applied(calls, repo) }
}

async function applied(calls: readonly object[], repo = fixture.repo) {
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [inOneTurn([...calls, write('new\n')]), change()],
  })
  const ended = await runHere(['task', 'apply', '--apply', '--model', model, '--json', '--repo', repo], fixture.env)
  expect(ended.exitCode, ended.stderr).toBe(0)
  return resultOf(ended).applied as readonly string[]
}

const inOneTurn = (calls: readonly object[]) => ({ calls: calls.flatMap((one) => (one as { calls: object[] }).calls) })

const textOf = (file: string) => readFile(join(fixture.repo, file), 'utf8')
const makeFile = (path: string, content: string) => call('write_file', { path, content })

test('files of submodules are there for steps and agents, as committed, and stay out of the change', async () => {
  await given('cat vendor/lib/lib.txt')
  const library = join(fixture.folder, 'library')
  await mkdir(library)
  await gitIn(library, 'init', '-q', '-b', 'main')
  await writeFile(join(library, 'lib.txt'), 'one\n')
  await gitIn(library, 'add', '-A')
  await gitIn(library, '-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qm', 'one')
  await fixture.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'vendor/lib')
  await commitAll()
  const inside = join(fixture.repo, 'vendor/lib')
  await writeFile(join(inside, 'lib.txt'), 'two\n')
  await gitIn(inside, '-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qam', 'two')
  await writeFile(join(inside, 'lib.txt'), 'not committed\n')
  expect([await seen({ commit: 'HEAD' }), await seen()]).toEqual(['one', 'two'])
  await fixture.git('submodule', '--quiet', 'update', '--force')

  const copy = call('run_command', { command: 'cp vendor/lib/lib.txt copy.txt' })
  const { branch, applied } = await everyWay([copy])
  expect(await fixture.git('show', `${branch}:copy.txt`)).toBe('one')
  expect(applied).toEqual(['copy.txt', 'value.txt'])
  expect(await fixture.git('status', '--porcelain')).toBe('M value.txt\n?? copy.txt')
})

test('files in Git LFS are pointers everywhere but in the user’s working tree', async () => {
  await given('grep -h size *.bin', { '.gitattributes': '*.bin filter=lfs -text\n' })
  await configureLfs()
  await fixture.write({ 'big.bin': 'content of the big file\n' })
  await commitAll()
  await fixture.write({ 'big.bin': 'edited\n' })
  const hint =
    '\n\n[drydock] The steps see the pointers of Git LFS (1 in this commit), not the files.\n[drydock] look ended with exit code 1'
  expect([await seen({ commit: 'HEAD' }), await seen()]).toEqual([`size 24${hint}`, `size 7${hint}`])
  await commitAll()

  const move = call('move_file', { from: 'big.bin', to: 'moved.bin' })
  const { branch } = await everyWay([move, makeFile('made.bin', 'by the agent\n')])
  expect(await fixture.git('show', `${branch}:made.bin`)).toBe('by the agent')
  expect(await fixture.git('show', `${branch}:moved.bin`)).toMatch(/^version https:.*\noid .*\nsize 7$/)
  expect([await textOf('moved.bin'), await textOf('made.bin')]).toEqual(['edited\n', 'by the agent\n'])
  expect(await fixture.git('status', '--porcelain')).toBe('D big.bin\n M value.txt\n?? made.bin\n?? moved.bin')
})

test('line ends are those of the commit for steps and agents, and the user’s own in the working tree', async () => {
  const files = { '.gitattributes': '*.bat text eol=crlf\n*.dat -text\n', 'a.bat': 'a\r\n', 'a.dat': 'a\r\nb\n' }
  await given('cat -A *.bat *.dat *.txt', files)
  await fixture.git('config', 'core.autocrlf', 'true')
  await fixture.write({ 'value.txt': 'old\r\nmore\r\n' })
  const unchanged = 'a^M$\na^M$\nb$\nold$'
  expect([await seen({ commit: 'HEAD' }), await seen()]).toEqual([unchanged, `${unchanged}\nmore$`])
  await commitAll()

  const edit = call('edit_file', { path: 'a.bat', old: 'a', new: 'b' })
  const { branch } = await everyWay([edit, makeFile('new.txt', 'x\n')])
  expect(await fixture.git('show', `${branch}:a.bat`)).toBe('b')
  const written = await Promise.all(['a.bat', 'a.dat', 'new.txt', 'value.txt'].map(textOf))
  expect(written).toEqual(['b\r\n', 'a\r\nb\n', 'x\r\n', 'new\r\n'])
})

test('links stay links, whatever they point at, and are only followed inside', async () => {
  await given('cat link folder-link/a outside dangling; readlink outside dangling', {
    'folder/a': 'a\n',
    'b.txt': 'b\n',
  })
  const links = { link: 'b.txt', 'folder-link': 'folder', outside: join(fixture.folder, 'config'), dangling: 'nothing' }
  for (const [path, target] of Object.entries(links)) await symlink(target, join(fixture.repo, path))
  await commitAll()
  const expected = new RegExp(
    `^b\na\ncat: outside: No such file .*\ncat: dangling: No such file .*\n${links.outside}\nnothing$`,
  )
  expect(await seen({ commit: 'HEAD' })).toMatch(expected)
  await rm(join(fixture.repo, 'link'))
  await symlink('folder/a', join(fixture.repo, 'link'))
  expect(await seen()).toMatch(/^a\na\n/)
  await fixture.git('checkout', '-q', '.')

  const relink = call('run_command', { command: 'ln -sfn b.txt dangling' })
  const edit = call('edit_file', { path: 'link', old: 'b', new: 'changed' })
  const { branch, applied } = await everyWay([relink, edit, makeFile('folder-link/new', 'x')])
  expect(await fixture.git('ls-tree', '-r', branch, 'dangling', 'link')).toMatch(/^120000 .*dangling\n120000 .*link$/)
  expect(applied).toEqual(['b.txt', 'dangling', 'folder/new', 'value.txt'])
  expect(await textOf('dangling')).toBe('changed\n')
})

test('names that differ in case only are different files', async () => {
  const files = { README: 'upper\n', readme: 'lower\n', 'Dir/a': 'Dir\n', 'dir/a': 'dir\n' }
  await given('cat README readme Dir/a dir/a', files)
  await fixture.write({ readme: 'edited\n' })
  expect([await seen({ commit: 'HEAD' }), await seen()]).toEqual(['upper\nlower\nDir\ndir', 'upper\nedited\nDir\ndir'])
  await fixture.git('checkout', '-q', '.')
  const { branch, applied } = await everyWay([makeFile('readme', 'x\n')])
  expect(await fixture.git('show', `${branch}:README`, `${branch}:readme`)).toBe('upper\nx')
  expect(applied).toEqual(['readme', 'value.txt'])
})

test('names with line breaks, quotes, a leading dash or bytes that are not UTF-8 are kept', async () => {
  const files = { '-dash': 'dash\n', 'line\nbreak': 'break\n', 'tab\t"ü"': 'tab\n', '日本/作業 x.txt': 'work\n' }
  await given('cat -- -dash line* tab* 日本/* latin*', files)
  await writeFile(Buffer.concat([Buffer.from(`${fixture.repo}/latin-`), Buffer.from([0xfc])]), 'latin\n')
  const all = 'dash\nbreak\ntab\nwork\nlatin'
  expect(await seen()).toBe(all)
  await commitAll()
  expect(await seen({ commit: 'HEAD' })).toBe(all)
  const { applied } = await everyWay([makeFile('-dash', 'x\n'), makeFile('line\nbreak', 'x\n')])
  expect(applied).toEqual(['-dash', 'line\nbreak', 'value.txt'])
})

test('a shallow clone and a sparse one work, and files that are not checked out stay so', async () => {
  await given('cat in/a out/b; git rev-list --count HEAD', { 'in/a': 'a\n', 'out/b': 'b\n' })
  await fixture.write({ 'in/a': 'aa\n' })
  await commitAll()
  const clone = join(fixture.folder, 'clone')
  await gitIn(fixture.folder, 'clone', '-q', '--depth=1', `file://${fixture.repo}`, clone)
  await gitIn(clone, 'sparse-checkout', 'set', 'in')
  const all = 'aa\nb\n1'
  expect([await seen({ commit: 'HEAD', repo: clone }), await seen({ repo: clone })]).toEqual([all, all])
  const { branch, applied } = await everyWay([makeFile('in/a', 'x\n')], clone)
  expect(await gitIn(clone, 'rev-list', '--count', branch)).toBe('2')
  expect(applied).toEqual(['in/a', 'value.txt'])
  expect(await gitIn(clone, 'status', '--porcelain')).toBe('M in/a\n M value.txt')
})

test('twenty thousand files work', async () => {
  await given('find many -type f | wc -l; cat many/7/19987')
  await importFiles(20_000)
  await fixture.write({ 'many/7/19987': 'edited\n' })
  expect([await seen({ commit: 'HEAD' }), await seen()]).toEqual(['20000\nfile 19987', '20000\nedited'])
  await fixture.git('checkout', '-q', '.')
  const remove = call('run_command', { command: 'rm -r many/1' })
  expect(await applied([remove, makeFile('many/2/new', 'x')])).toHaveLength(1_002)
})

test('a file of 200 MB works', async () => {
  await given('wc -c < big.bin; cksum < big.bin')
  const sum = await bigFile(join(fixture.repo, 'big.bin'), 200)
  await fixture.git('-c', 'core.compression=0', 'add', '-A')
  await fixture.git('commit', '-qm', 'odd')
  const expected = `209715200\n${sum}`
  expect([await seen({ commit: 'HEAD' }), await seen()]).toEqual([expected, expected])
  const append = call('run_command', { command: 'echo >> big.bin' })
  expect(await applied([append])).toEqual(['big.bin', 'value.txt'])
})

/** The filters that the real Git LFS puts into a user's own configuration. */
async function configureLfs() {
  const [store, home] = [join(fixture.folder, 'lfs'), join(fixture.folder, 'home')]
  await mkdir(store)
  await mkdir(home, { recursive: true })
  const clean = `#!/bin/sh
file=$(mktemp '${store}/XXXXXX') && cat > "$file"
if grep -q '^version https://git-lfs' "$file"; then cat "$file"; exit; fi
id=$(sha256sum < "$file" | cut -d' ' -f1) && mv "$file" "${store}/$id"
printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' "$id" "$(wc -c < "${store}/$id")"
`
  const smudge = `#!/bin/sh
file=$(mktemp '${store}/XXXXXX') && cat > "$file"
id=$(sed -n 's/^oid sha256://p' "$file")
if test -n "$id"; then cat "${store}/$id"; else cat "$file"; fi
`
  for (const [name, script] of Object.entries({ clean, smudge })) {
    await writeFile(join(store, name), script)
    await chmod(join(store, name), 0o755)
  }
  const filter = `[filter "lfs"]\n\tclean = ${store}/clean\n\tsmudge = ${store}/smudge\n\trequired = true\n`
  await writeFile(join(home, '.gitconfig'), filter)
}

/** Commits files `many/<0..19>/<n>` on main and checks them out. */
async function importFiles(count: number) {
  const importing = spawn('git', ['-C', fixture.repo, 'fast-import', '--quiet'], { env: fixture.env })
  const lines = Array.from({ length: count }, (_, i) => {
    const content = `file ${i}\n`
    return `M 100644 inline many/${i % 20}/${i}\ndata ${content.length}\n${content}`
  })
  const who = 'committer Tester <tester@localhost> 1767225600 +0000'
  importing.stdin.end(`commit refs/heads/main\n${who}\ndata 4\nmany\nfrom refs/heads/main^0\n${lines.join('\n')}\n`)
  const [code] = await once(importing, 'close')
  expect(code).toBe(0)
  await fixture.git('reset', '-q', '--hard')
}

/** Writes this many MB of incompressible data; returns their cksum. */
async function bigFile(path: string, megabytes: number): Promise<string> {
  const random = await open('/dev/urandom')
  const file = await open(path, 'w')
  for (let i = 0; i < megabytes; i += 1) {
    const { buffer } = await random.read(Buffer.alloc(1024 ** 2))
    await file.write(buffer)
  }
  await file.close()
  await random.close()
  const { stdout } = await promisify(execFile)('sh', ['-c', 'cksum < "$1"', 'sh', path])
  return stdout.trim()
}

test('a submodule that was never fetched is an empty folder', async () => {
  await given('ls vendor; ls -A vendor/lib')
  const id = await fixture.git('rev-parse', 'HEAD')
  await fixture.git('update-index', '--add', '--cacheinfo', `160000,${id},vendor/lib`)
  await fixture.git('commit', '-qm', 'odd')
  expect(await seen({ commit: 'HEAD' })).toBe('lib')
})

test('a partial clone is refused with what makes it whole', async () => {
  await given('true')
  await fixture.write({ 'value.txt': 'older\n' })
  await commitAll()
  await fixture.git('config', 'uploadpack.allowFilter', 'true')
  const clone = join(fixture.folder, 'clone')
  await gitIn(fixture.folder, 'clone', '-q', '--filter=blob:none', `file://${fixture.repo}`, clone)
  const refused = await runHere(['verify', '--json', '--repo', clone], fixture.env)
  const todo = 'git fetch --refetch --no-filter'
  expect(refused.events.at(-1)).toMatchObject({
    error: {
      code: 'git_failed',
      message: `${clone} is a partial clone: some files of its commits are missing.`,
      todo,
    },
  })
  await promisify(execFile)('sh', ['-c', todo], { cwd: clone, env: fixture.env })
  expect(await seen({ repo: clone })).toContain('printed nothing')
})
