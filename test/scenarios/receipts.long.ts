import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
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
import { replyAndResume, statesOf } from './world/crew-script.ts'
import { type CommandResult, createFixture, type Fixture, greenLanes, runHere } from './world/fixture.ts'
import { branch, inMirror, landedOn } from './world/merge-facts.ts'

const notes = 'refs/notes/drydock'
const lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }

async function crew(): Promise<Fixture> {
  const fixture = await createCrewFixture()
  onTestFinished(() => fixture.remove())
  return fixture
}

/** A crew's finished run with two landed stories; tests change only clones of it. */
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

/** The envelope in a commit's note. */
const noteOf = (fixture: Pick<Fixture, 'git'>, commit: string) => fixture.git('notes', `--ref=${notes}`, 'show', commit)

const statementOf = (note: string) => JSON.parse(Buffer.from(JSON.parse(note).payload, 'base64').toString())

interface Cloning {
  readonly fetched: boolean
  /**
   * Environment of the reader; omitted for a reader on another machine, without state,
   * configuration and key.
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

test('a receipt tells what landed, its verification, its approver, its request and its cost, and controls no terminal', async () => {
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
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'urn:drydock:receipt:1',
    subject: [
      { name: 'commit', digest: { gitCommit: sha } },
      { name: 'tree', digest: { gitTree: tree } },
    ],
  })
  const found = { file: 'a.txt', line: null, raised_by: 'reviewer', round: 1 }
  expect(predicate).toEqual({
    commit: sha,
    tree,
    base: parents,
    onto: parents,
    made_at: expect.stringMatching(/^\d{4}-.*Z$/),
    approved_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    drydock: { version: JSON.parse(await readFile('package.json', 'utf8')).version },
    run: { id: expect.stringMatching(/^make-the-files-/), kind: 'spec', branch },
    story: { id: 'one', title: 'Make one' },
    verification: {
      run_id: verifiedBy,
      status: 'PASS',
      sandbox: 'bubblewrap',
      image: null,
      os: 'linux',
      arch: process.arch,
      roles: 'by use',
      layers: [],
      tests: null,
      flaky: [],
      pre_existing: [],
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
    exitCode: 2,
    code: 'bad_config',
    message: expect.stringContaining('shows agents the state'),
  })
})

test('without a key nothing lands, the words say why, and a retry lands it once there can be one', async () => {
  const fixture = await crew()
  const keyFile = join(fixture.folder, 'state', 'receipt-key.pem')
  await mkdir(keyFile, { recursive: true })
  const refused = await build(fixture, { ...specLanes('one'), ...greenStory('one') })
  expect(refused.exitCode, refused.stderr).toBe(6)
  const question = refused.events.find(({ type }) => type === 'escalation')
  expect(question).toMatchObject({ evidence: expect.stringContaining('no receipt could be made') })
  expect(question?.evidence).toContain(keyFile)
  expect(await fixture.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main')

  await rmdir(keyFile)
  const run = String(refused.events[0]?.run)
  // The model has no replies left: the approved commit is merged again.
  const retried = await fixture.drydock('retry', `${run}/one`, '--json')
  expect(statesOf(retried), retried.stderr).toEqual({ one: 'DONE' })
  expect((await fixture.drydock('receipt', 'verify', branch)).exitCode).toBe(0)
})

test('a task without a key waits, and continues once a key can be made', async () => {
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
