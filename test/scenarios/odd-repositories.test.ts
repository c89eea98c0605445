import { execFile } from 'node:child_process'
import { createHash, randomFillSync } from 'node:crypto'
import { chmod, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../src/domain/verdict.ts'
import { call, change, createFixture, type Fixture, plan, resultOf, runHere, write } from './fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

/** A repository whose only step prints what the files look like to it, and fails while value.txt is old. */
async function given(look: string, files: Readonly<Record<string, string>> = {}) {
  const steps = [{ name: 'look', command: `${look}\ngrep -q new value.txt`, timeout_sec: 60 }]
  fixture = await createFixture({ steps, files })
}

async function commit(message = 'odd') {
  await fixture.git('add', '-A')
  await fixture.git('commit', '-qm', message)
}

/** What the step printed of a commit, or of the working tree. */
async function seen(revision?: string, repo = fixture.repo): Promise<string> {
  const ended = await runHere(['verify', ...(revision ? [revision] : []), '--json', '--repo', repo], fixture.env)
  const answer = resultOf(ended).answer as VerifierResponse
  expect(answer, ended.stderr).toMatchObject({ status: 'FAIL' })
  return answer.tail_log ?? ''
}

/** Ends with what the step printed last. */
async function task(calls: readonly object[] = [], ...args: string[]) {
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [...calls, write('new\n'), change()],
  })
  const ended = await fixture.drydock('task', 'say new', '--json', '--model', model, ...args)
  expect(ended.exitCode, ended.stderr).toBe(0)
  return resultOf(ended)
}

async function lastLog(): Promise<string> {
  return (await fixture.drydock('log')).stdout
}


test('X lfs', async () => {
  await given('head -c 300 big.bin; test -e moved.bin && head -c 300 moved.bin; true', { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' })
  const store = join(fixture.folder, 'lfs-store')
  await mkdir(store)
  const clean = join(fixture.folder, 'clean')
  const smudge = join(fixture.folder, 'smudge')
  await writeFile(clean, `#!/bin/sh
t=$(mktemp "${store}/tmp.XXXXXX"); cat > "$t"
if head -c 40 "$t" | grep -q '^version https://git-lfs'; then cat "$t"; rm "$t"; exit; fi
o=$(sha256sum < "$t" | cut -d' ' -f1); s=$(wc -c < "$t"); mv "$t" "${store}/$o"
printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' "$o" "$s"
`)
  await writeFile(smudge, `#!/bin/sh
t=$(cat); o=$(printf '%s' "$t" | sed -n 's/^oid sha256://p')
if [ -n "$o" ]; then cat "${store}/$o"; else printf '%s\\n' "$t"; fi
`)
  await chmod(clean, 0o755)
  await chmod(smudge, 0o755)
  await mkdir(join(fixture.folder, 'home'), { recursive: true })
  await writeFile(join(fixture.folder, 'home/.gitconfig'), `[filter "lfs"]\n\tclean = ${clean} %f\n\tsmudge = ${smudge} %f\n\trequired = true\n`)
  await fixture.write({ 'big.bin': 'content of the big file\n' })
  await commit()
  console.log('commit', await seen('HEAD'))
  console.log('tree', await seen())
  await fixture.write({ 'big.bin': 'edited by the user\n' })
  console.log('edited tree', await seen())
  await fixture.git('commit', '-qam', 'edited')
  const r = await task([call('move_file', { from: 'big.bin', to: 'moved.bin' }), call('write_file', { path: 'made.bin', content: 'by the agent\n' })], '--apply')
  console.log(JSON.stringify(r))
  console.log(await fixture.git('status', '--porcelain'), await readFile(join(fixture.repo, 'moved.bin'), 'utf8'), await readFile(join(fixture.repo, 'made.bin'), 'utf8'))
  const w = (await fixture.open()).workspaces
  console.log('pointers', await w.lfsPointers('HEAD'))
})

test('X crlf', async () => {
  await given('od -c value.txt | head -2; od -c bat.bat | head -2; od -c bin.dat | head -1', { '.gitattributes': '*.bat text eol=crlf\n*.dat -text\n', 'bat.bat': 'a\r\nb\r\n', 'bin.dat': 'a\r\nb\n' })
  await fixture.git('config', 'core.autocrlf', 'true')
  await fixture.write({ 'value.txt': 'old\r\nmore\r\n' })
  await fixture.git('add', '-A')
  console.log('commit', await seen('HEAD'))
  console.log('tree', await seen())
  await fixture.git('commit', '-qam', 'lf')
  console.log(await fixture.git('status', '--porcelain'))
  const r = await task([call('edit_file', { path: 'bat.bat', old: 'b', new: 'c' }), call('write_file', { path: 'new.txt', content: 'x\ny\n' })], '--apply')
  console.log(JSON.stringify(r))
  console.log(await fixture.git('status', '--porcelain'), JSON.stringify(await Promise.all(['value.txt', 'bat.bat', 'new.txt', 'bin.dat'].map((f) => readFile(join(fixture.repo, f), 'utf8')))))
  console.log(await fixture.git('diff'))
})

test('X shallow, sparse, partial, sha256', async () => {
  await given('ls -R; git log --oneline | cat', { 'in/a': 'a', 'out/b': 'b' })
  for (const m of ['two', 'three']) { await fixture.write({ 'in/a': m }); await commit(m) }
  const git = async (...args: string[]) => (await promisify(execFile)('git', ['-C', fixture.folder, ...args], { env: fixture.env })).stdout
  await fixture.git('config', 'uploadpack.allowFilter', 'true')
  for (const [name, ...args] of [['partial', '--filter=blob:none', '--no-checkout'], ['sparse', '--no-checkout'], ['partialfull', '--filter=blob:none']] as const) {
    const to = join(fixture.folder, name)
    await git('clone', '-q', ...args, `file://${fixture.repo}`, to)
    if (name === 'sparse' || name === 'partial') { await git('-C', to, 'sparse-checkout', 'set', '--cone', 'in', '.drydock'); await git('-C', to, 'checkout', '-q', 'main') }
    for (const what of [['HEAD'], []] as string[][]) {
      const ended = await runHere(['verify', ...what, '--json', '--repo', to], fixture.env)
      console.log(name, what, ended.exitCode, JSON.stringify(resultOf(ended)).slice(0, 400), ended.stderr.slice(0,900))
    }
    const model = await fixture.replay({ 'editor/task/PLANNING': [plan()], 'editor/task/CODING': [call('write_file', { path: 'out/b', content: 'x' }), write('new\n'), change()] })
    const ended = await runHere(['task', 'say new', '--json', '--model', model, '--repo', to, '--apply'], fixture.env)
    console.log(name, ended.exitCode, ended.stderr, JSON.stringify(resultOf(ended)).slice(0, 400), await git('-C', to, 'status', '--porcelain'))
  }
})
