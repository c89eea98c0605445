import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  approve,
  build,
  createCrewFixture,
  finding,
  greenStory,
  needsChanges,
  specLanes,
  submit,
} from './world/crew.ts'
import { replyAndResume, statesOf, writeScript } from './world/crew-script.ts'
import { type CommandResult, createFixture, type Fixture, greenLanes, runHere } from './world/fixture.ts'
import { branch, inMirror, landedOn } from './world/merge-facts.ts'
import { launch } from './world/process.ts'

const notes = 'refs/notes/drydock'
const lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }

async function crew(): Promise<Fixture> {
  const fixture = await createCrewFixture()
  onTestFinished(() => fixture.remove())
  return fixture
}

/** A crew's run of two stories that has landed both; what a test changes of it is a clone. */
let landed: Fixture & { readonly commits: readonly string[]; readonly first: string; readonly second: string }

beforeAll(async () => {
  const fixture = await createCrewFixture()
  landed = { ...fixture, commits: [], first: '', second: '' }
  const built = await build(fixture, lanes)
  expect(built.exitCode, built.stderr).toBe(0)
  const commits = (await landedOn(fixture)).map(({ sha }) => sha)
  landed = { ...fixture, commits, first: commits[0] ?? '', second: commits[1] ?? '' }
})
afterAll(() => landed.remove())

/** The envelope that is noted on a commit. */
const noteOf = (fixture: Pick<Fixture, 'git'>, commit: string) => fixture.git('notes', `--ref=${notes}`, 'show', commit)

const statementOf = (note: string) => JSON.parse(Buffer.from(JSON.parse(note).payload, 'base64').toString())

interface Cloning {
  readonly fetched: boolean
  /**
   * Of whoever reads it; left out for somebody on another machine: no state, no configuration, no
   * key.
   */
  readonly env?: Fixture['env']
}

async function cloneOf(fixture: Fixture, { fetched, env: given }: Cloning) {
  const home = await mkdtemp(join(fixture.folder, 'elsewhere-'))
  const folder = join(home, 'clone')
  const env = given ?? { PATH: fixture.env.PATH ?? '', HOME: home, DRYDOCK_HOME: join(home, 'state') }
  await fixture.git('clone', '-q', '--no-local', fixture.repo, folder)
  const git = async (...args: string[]) => {
    const options = { env: { ...env, GIT_CONFIG_NOSYSTEM: '1' } }
    return (await promisify(execFile)('git', ['-C', folder, ...args], options)).stdout.trim()
  }
  if (fetched) await git('fetch', '-q', 'origin', `${notes}:${notes}`)
  const drydock = (...args: string[]) => runHere([...args, '--repo', folder], env)
  return { home, env, git, drydock }
}

const errorOf = ({ exitCode, events }: CommandResult) => ({ exitCode, ...events.at(-1) })

test('every merged commit is proven in its repository and in a fresh clone, by the public key alone', async () => {
  const fixture = landed
  const { id, pem } = (await fixture.drydock('receipt', 'key', '--json')).events[0] as never as Record<string, string>
  const clone = await cloneOf(fixture, { fetched: true })
  const keyFile = join(fixture.folder, 'their-key.pem')
  await writeFile(keyFile, pem ?? '')
  expect(fixture.commits).toHaveLength(2)
  for (const commit of fixture.commits) {
    const here = await fixture.drydock('receipt', 'verify', commit)
    expect(here, here.stderr).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${commit} is proven`) })
    expect(errorOf(await clone.drydock('receipt', 'verify', commit, '--json'))).toMatchObject({
      ...{ exitCode: 3, code: 'receipt_unknown_key', message: expect.stringContaining(id ?? '') },
    })
    const there = await clone.drydock('receipt', 'verify', commit.slice(0, 12), '--key', keyFile, '--json')
    expect(errorOf(there)).toMatchObject({ exitCode: 0, commit, verified: true, key: id })
  }
  expect(await readdir(clone.home)).toEqual(['clone'])
  const config = join(clone.home, '.config', 'drydock')
  await mkdir(config, { recursive: true })
  await writeFile(join(config, 'config.json'), JSON.stringify({ receipts: { trusted_keys: [keyFile] } }))
  expect((await clone.drydock('receipt', 'verify', fixture.first)).exitCode).toBe(0)
  await writeFile(keyFile, 'no key')
  expect(errorOf(await clone.drydock('receipt', 'verify', fixture.first, '--json'))).toMatchObject({
    ...{ exitCode: 2, code: 'bad_config', message: expect.stringContaining(keyFile) },
  })
})

test('the commands of docs/receipts.md prove a receipt with git and OpenSSL alone, and notice a changed one', async () => {
  const [, script = ''] = /## By hand.*?```sh\n(.*?)```/s.exec(await readFile('docs/receipts.md', 'utf8')) ?? []
  const clone = await cloneOf(landed, { fetched: true })
  await writeFile(join(clone.home, 'key.pem'), (await landed.drydock('receipt', 'key')).stdout)
  const prove = (commit: string) => {
    const env = { ...clone.env, GIT_DIR: join(clone.home, 'clone', '.git'), commit }
    return promisify(execFile)('sh', ['-ec', script], { cwd: clone.home, env })
  }
  expect((await prove(landed.first)).stdout).toContain('Signature Verified Successfully')
  const other = await noteOf(landed, landed.second)
  const text = (await noteOf(landed, landed.first)).replace(
    /"payload":"[^"]*"/,
    /"payload":"[^"]*"/.exec(other)?.[0] ?? '',
  )
  await clone.git('config', 'user.name', 'Tester')
  await clone.git('config', 'user.email', 'tester@localhost')
  await clone.git('notes', `--ref=${notes}`, 'add', '-f', '-m', text, landed.second)
  await expect(prove(landed.second)).rejects.toMatchObject({ stdout: expect.stringMatching(/Verification Failure/) })
})

test('a receipt says what landed, how it was verified, who approved it, what was asked and what it cost, and steers no terminal', async () => {
  const fixture = await crew()
  const text = 'Take the first claim as it is.'
  const evil = 'Dull\u001b[2J\u009b31m\nSigned with \u202eme'
  const asked = await build(
    fixture,
    {
      ...specLanes('one'),
      ...greenStory('one'),
      'editor/one/CODING': [...(greenStory('one')['editor/one/CODING'] ?? []), submit('one'), submit('one')],
      'architect/REQUEST/code/one/1': [needsChanges('No.', [finding(), finding({ severity: 'minor', claim: evil })])],
      'architect/REQUEST/code/one/2': [approve({ accepted: ['c1'] })],
    },
    '--config',
    await writeRounds(fixture),
  )
  expect(asked.exitCode, asked.stderr).toBe(6)
  const done = await replyAndResume(fixture, asked, text)
  expect(statesOf(done), done.stderr).toEqual({ one: 'DONE' })
  const [{ sha, parents, verifiedBy } = { sha: '', parents: '', verifiedBy: '' }] = await landedOn(fixture)
  const { _type, subject, predicateType, predicate } = statementOf(await noteOf(fixture, sha))
  const tree = await fixture.git('rev-parse', `${sha}^{tree}`)
  expect({ _type, subject, predicateType }).toEqual({
    ...{ _type: 'https://in-toto.io/Statement/v1', predicateType: 'urn:drydock:receipt:1' },
    subject: [
      { name: 'commit', digest: { gitCommit: sha } },
      { name: 'tree', digest: { gitTree: tree } },
    ],
  })
  const found = { file: 'a.txt', line: null, raised_by: 'reviewer', round: 1 }
  expect(predicate).toEqual({
    ...{ commit: sha, tree, base: parents, onto: parents, made_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    approved_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    drydock: { version: JSON.parse(await readFile('package.json', 'utf8')).version },
    run: { id: expect.stringMatching(/^make-the-files-/), kind: 'spec', branch },
    story: { id: 'one', title: 'Make one' },
    verification: {
      ...{ run_id: verifiedBy, status: 'PASS', sandbox: 'bubblewrap', image: null, os: 'linux' },
      ...{ arch: process.arch, layers: [], tests: null, flaky: [], pre_existing: [] },
      commands: [
        { name: 'test', command: 'test -f value.txt', exit_code: 0, duration_ms: expect.any(Number), timed_out: false },
      ],
    },
    reviewer: { agent: 'architect', model: 'replay', request: 'code/one', round: 2, verdict: 'APPROVED' },
    findings: [
      {
        ...found,
        id: 'c1',
        severity: 'major',
        state: 'accepted',
        accepted_by: 'architect',
        claim: 'a.txt says the wrong thing',
      },
      { ...found, id: 'c2', severity: 'minor', state: 'closed', accepted_by: null, claim: evil },
    ],
    escalations: [
      {
        id: expect.any(String),
        question: expect.stringMatching(/sent back once/),
        answer: text,
        answered_by: 'human',
      },
    ],
    cost: { usd: 0, tokens: 0, calls: expect.any(Number) },
    left_out: { layers: 0, commands: 0, tests: 0, findings: 0, escalations: 0 },
  })
  expect(predicate.cost.calls).toBeGreaterThan(5)
  const shown = await fixture.drydock('receipt', 'show', sha)
  expect(shown.exitCode).toBe(0)
  expect(shown.stdout).toMatch(/^Signed with [0-9a-f]{64}\nStory: one: Make one\nCommit: /)
  expect(shown.stdout).toContain('  c1 (major, by the reviewer, accepted by architect) a.txt:')
  expect(shown.stdout).toContain(`-> human: ${text}`)
  expect(shown.stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(shown.stdout.match(/^Signed with/gm)).toHaveLength(1)
  expect((await fixture.drydock('report')).stdout).toContain(`Receipt: drydock receipt show ${sha.slice(0, 12)}`)
})

/** One round of reviews, and then a human is asked. */
async function writeRounds(fixture: Fixture): Promise<string> {
  const file = join(fixture.folder, 'rounds.json')
  const steps = [{ name: 'test', command: 'test -f value.txt', timeout_sec: 120 }]
  await writeFile(file, JSON.stringify({ editor: { review_rounds: 1 }, verification: { steps } }))
  return file
}

test('a receipt is kept with the artifacts, and its notes in the mirror; nothing else of it is in the repository', async () => {
  const fixture = landed
  const { artifacts } = await fixture.open()
  for (const commit of fixture.commits)
    expect((await readFile(join(artifacts, 'receipts', `${commit}.json`), 'utf8')).trim()).toBe(
      await noteOf(fixture, commit),
    )
  expect(await inMirror(fixture, 'rev-parse', notes)).toBe(await fixture.git('rev-parse', notes))
  const refs = await fixture.git('for-each-ref', '--format=%(refname)')
  expect(refs.split('\n')).toEqual([`refs/heads/${branch}`, 'refs/heads/main', notes])
})

test('each way to tamper with a receipt or its commit fails with its own reason and exit code 3', async () => {
  const fixture = landed
  const { first, second } = fixture
  const clone = await cloneOf(fixture, { fetched: true, env: fixture.env })
  const { git, drydock } = clone
  await git('config', 'user.name', 'Tester')
  await git('config', 'user.email', 'tester@localhost')
  const envelope = await noteOf(fixture, first)
  const verify = async (commit: string) => errorOf(await drydock('receipt', 'verify', commit, '--json'))
  const note = async (commit: string, text: string) => {
    const file = join(clone.home, 'note')
    await writeFile(file, text)
    const blob = await git('hash-object', '-w', '--', file)
    await git('notes', `--ref=${notes}`, 'add', '-f', '-C', blob, commit)
  }
  const fault = (code: string, message: RegExp, todo = /./) => ({
    ...{ exitCode: 3, code, message: expect.stringMatching(message), todo: expect.stringMatching(todo) },
  })

  const changed = JSON.parse(envelope)
  const statement = statementOf(envelope)
  statement.predicate.reviewer.model = 'anthropic:claude'
  changed.payload = Buffer.from(JSON.stringify(statement)).toString('base64')
  await note(first, `${JSON.stringify(changed)}\n`)
  expect(await verify(first)).toMatchObject(fault('receipt_changed', new RegExp(changed.signatures[0].keyid)))
  const shown = await drydock('receipt', 'show', first)
  expect(shown).toMatchObject({ exitCode: 3, stdout: expect.stringMatching(/^NOT PROVEN: .*changed after it was/) })

  await note(first, 'Looks good to me.\n')
  expect(await verify(first)).toMatchObject(fault('receipt_malformed', /is not a receipt/))
  await note(first, 'x'.repeat(5 * 1024 ** 2))
  expect(await verify(first)).toMatchObject(fault('receipt_malformed', /is not a receipt/))
  await note(first, `${envelope}\n`)
  expect(await verify(first)).toMatchObject({ exitCode: 0, verified: true })

  await note(second, `${envelope}\n`)
  expect(await verify(second)).toMatchObject(
    fault('receipt_other_commit', new RegExp(`commit ${first}, not ${second}`)),
  )
  await git('checkout', '-q', '-b', 'mine', first)
  await git('commit', '-q', '--amend', '-m', 'All mine')
  await note('HEAD', `${envelope}\n`)
  expect(await verify('HEAD')).toMatchObject(fault('receipt_other_commit', /amended/, /git show/))

  await git('replace', first, 'main')
  // A replacement is not heeded: the commit itself is what was verified.
  expect(await verify(first)).toMatchObject({ exitCode: 0, verified: true })
  await git('replace', '-d', first)

  await git('notes', `--ref=${notes}`, 'remove', first)
  expect(await verify(first)).toMatchObject(fault('receipt_missing', /no receipt for/))
  expect(await verify('main')).toMatchObject(fault('receipt_missing', /no receipt for/))
  expect(await verify('nowhere')).toMatchObject({ exitCode: 2, code: 'unknown_revision' })
  expect(errorOf(await drydock('receipt', 'verify', '--json'))).toEqual(await verify('HEAD'))
  expect(errorOf(await drydock('receipt', 'sign', first, '--json'))).toMatchObject({ exitCode: 2, code: 'bad_usage' })
})

test('in a clone without notes the reason is the line that fetches them', async () => {
  const fixture = landed
  const clone = await cloneOf(fixture, { fetched: false })
  const missing = errorOf(await clone.drydock('receipt', 'verify', fixture.first, '--json'))
  const line = 'git fetch origin refs/notes/drydock:refs/notes/drydock'
  expect(missing).toMatchObject({ exitCode: 3, code: 'receipt_missing', todo: expect.stringContaining(line) })
  await clone.git(...line.split(' ').slice(1))
  const shown = await clone.drydock('receipt', 'show', fixture.first)
  expect(shown).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^NOT PROVEN: .*a key that you do not trust/),
  })
  expect((await clone.drydock('receipt', 'verify', fixture.first)).exitCode).toBe(3)
})

test('the commit of a task has a receipt, too, which nobody has reviewed, and no sandbox sees the key', async () => {
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const keyFile = join(fixture.folder, 'state', 'receipt-key.pem')
  await fixture.drydock('receipt', 'key')
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
  const config = join(fixture.folder, 'steps.json')
  const steps = [{ name: 'test', command: `grep -q new value.txt && ! ls '${keyFile}'` }]
  await writeFile(config, JSON.stringify({ verification: { steps } }))
  const model = await fixture.replay(greenLanes)
  const done = await fixture.drydock('task', 'say new', '--model', model, '--json', '--config', config)
  expect(done.exitCode, done.stderr).toBe(0)
  const verified = await fixture.drydock('receipt', 'verify', 'drydock/say-new', '--json')
  expect(errorOf(verified)).toMatchObject({
    exitCode: 0,
    receipt: { reviewer: null, onto: null, run: { kind: 'task' } },
  })
  await mkdir(join(fixture.folder, 'config', 'drydock'), { recursive: true })
  const user = { sandbox: { read_only_paths: [fixture.folder] } }
  await writeFile(join(fixture.folder, 'config', 'drydock', 'config.json'), JSON.stringify(user))
  expect(errorOf(await fixture.drydock('status', '--json'))).toMatchObject({
    ...{ exitCode: 2, code: 'bad_config', message: expect.stringContaining('shows agents the state') },
  })
})

/**
 * A git that kills Drydock with SIGKILL in place of moving a ref of these names, once each.
 */
async function withKiller(fixture: Fixture, refs: readonly string[]): Promise<Fixture['env']> {
  const bin = join(fixture.folder, 'bin')
  const real = (await promisify(execFile)('which', ['git'])).stdout.trim()
  // Drydock's shell starts git.
  const kill = [
    'read -r _ name _ parent _ <"/proc/$PPID/stat"',
    '[ "$name" = "(sh)" ] && kill -9 "$parent"',
    'exit 1',
  ].join('; ')
  const kills = refs.map((ref, n) => `*update-ref*" ${ref}"*) if mkdir "$0.${n}" 2>/dev/null; then ${kill}; fi;;`)
  await mkdir(bin)
  await writeFile(join(bin, 'git'), ['#!/bin/sh', 'case "$*" in', ...kills, 'esac', `exec ${real} "$@"`, ''].join('\n'))
  await chmod(join(bin, 'git'), 0o755)
  return { ...fixture.env, PATH: `${bin}:${fixture.env.PATH}` }
}

test('a process that dies between receipt, note and branch goes on with the same bytes and one note', async () => {
  const fixture = await crew()
  const env = await withKiller(fixture, [notes, 'refs/heads/drydock/'])
  const model = await writeScript(fixture, { lanes: { ...specLanes('one'), ...greenStory('one') } })
  const flags = ['--json', '--repo', fixture.repo]
  const refs = () => fixture.git('for-each-ref', '--format=%(refname)')
  const killed = await launch(['run', 'Make the files', '--model', model, ...flags], { env }).ended
  const folder = join((await fixture.open()).artifacts, 'receipts')
  const [name = '', ...others] = await readdir(folder)
  const first = await readFile(join(folder, name), 'utf8')
  expect([killed.signal, others, await refs()]).toEqual(['SIGKILL', [], 'refs/heads/main'])

  const again = await launch(['resume', ...flags], { env }).ended
  expect([again.signal, await refs()]).toEqual(['SIGKILL', `refs/heads/main\n${notes}`])
  const commit = name.replace('.json', '')
  const place = await fixture.git('rev-parse', notes)
  expect(await noteOf(fixture, commit)).toBe(first.trim())

  expect((await launch(['resume', ...flags], { env }).ended).exitCode).toBe(0)
  expect(await fixture.git('rev-parse', notes, branch)).toBe(`${place}\n${commit}`)
  expect(await readdir(folder)).toEqual([name])
  expect(await readFile(join(folder, name), 'utf8')).toBe(first)
  expect((await fixture.drydock('receipt', 'verify', commit)).exitCode).toBe(0)
})

test('without a key nothing lands, the words say why, and a retry lands it once there can be one', async () => {
  const fixture = await crew()
  const keyFile = join(fixture.folder, 'state', 'receipt-key.pem')
  await mkdir(keyFile, { recursive: true })
  const again = Object.entries(greenStory('one')).map(([lane, turns]) => [lane.replace('/one', '/one@2'), turns])
  const refused = await build(fixture, { ...specLanes('one'), ...greenStory('one') })
  expect(refused.exitCode, refused.stderr).toBe(6)
  const question = refused.events.find(({ type }) => type === 'escalation')
  expect(question).toMatchObject({ evidence: expect.stringContaining('no receipt could be made') })
  expect(question?.evidence).toContain(keyFile)
  expect(await fixture.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')

  await rmdir(keyFile)
  const run = String(refused.events[0]?.run)
  // The model that the run began with has nothing more to say.
  const other = join(fixture.folder, 'again.json')
  await writeFile(other, JSON.stringify({ version: 1, lanes: Object.fromEntries(again) }))
  const retried = await fixture.drydock('retry', `${run}/one`, '--json', '--model', `replay:${other}`)
  expect(statesOf(retried), retried.stderr).toEqual({ one: 'DONE' })
  expect((await fixture.drydock('receipt', 'verify', branch)).exitCode).toBe(0)
})

test('a task without a key waits, and goes on when there can be one', async () => {
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const keyFile = join(fixture.folder, 'state', 'receipt-key.pem')
  await mkdir(keyFile, { recursive: true })
  const stopped = await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes), '--json')
  expect(stopped.events.at(-1)).toMatchObject({ status: 'ERROR', error: { code: 'receipt_failed' } })
  expect([stopped.exitCode, await fixture.git('branch', '--list', 'drydock/*')]).toEqual([4, ''])
  await rmdir(keyFile)
  expect((await fixture.drydock('resume')).exitCode).toBe(0)
  expect((await fixture.drydock('receipt', 'verify', 'drydock/say-new')).exitCode).toBe(0)
})
