import { readFileSync, renameSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test } from 'vitest'
import { approve, createCrewFixture, greenStory, type Lanes, specLanes } from './world/crew.ts'
import { call, createFixture, type Fixture, greenLanes, resultOf } from './world/fixture.ts'
import { type Condition, interruptWhen, machineIn } from './world/interrupt.ts'
import { launch, processesOf, type Running } from './world/process.ts'
import { expectBuilt, green, read, resume, run, storeCrew } from './world/stored-crew.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const config = { architect: { request_soft_limit: 2, request_hard_limit: 3 } }
const look = (pattern: string) => call('list_files', { pattern })
const follows = /Another drydock process works on this repository; following it/

const drydock = (...args: string[]): Running => launch([...args, '--repo', fixture.repo], { env: fixture.env })

/** A spec of one story whose review asks a human. */
const asking = (story: string): Lanes => ({
  ...specLanes(story),
  ...greenStory(story),
  [`architect/REQUEST/code/${story}/1`]: [look('*.txt'), look('*.md'), approve()],
})

/** Starts a crew in a process of its own, with a replay file of its own. */
async function start(words: string, lanes: Lanes): Promise<Running> {
  const file = join(fixture.folder, `${words.replaceAll(' ', '-')}.json`)
  await writeFile(file, JSON.stringify({ version: 1, lanes }))
  return drydock('run', words, '--json', '--wait', '--model', `replay:${file}`)
}

async function question(running: Running): Promise<{ readonly id: string; readonly run: string }> {
  return JSON.parse(await running.line(/"type":"escalation"/))
}

describe('two specs in two processes', () => {
  test('are built beside each other: one waits for its human, and the other is not held up', async () => {
    fixture = await createCrewFixture({ config })
    const owner = await start('First spec', asking('first'))
    const { id } = await question(owner)
    const follower = await start('Second spec', { ...specLanes('second'), ...greenStory('second') })
    await follower.line(follows)
    expect(resultOf(await follower.ended)).toMatchObject({ status: 'DONE', branch: 'drydock/second-spec' })
    expect((await drydock('reply', id, 'Fine.').ended).exitCode).toBe(0)
    expect(resultOf(await owner.ended)).toMatchObject({ status: 'DONE', branch: 'drydock/first-spec' })
    expect(await processesOf(fixture.folder)).toEqual([])
  })

  test('outlive the owner: who follows takes over, and both questions can still be answered', async () => {
    fixture = await createCrewFixture({ config })
    const owner = await start('First spec', asking('first'))
    const first = await question(owner)
    const follower = await start('Second spec', asking('second'))
    const second = await question(follower)
    owner.child.kill('SIGKILL')
    await owner.ended
    for (const { id } of [first, second]) {
      expect((await drydock('reply', id, 'Fine.').ended).exitCode).toBe(0)
    }
    expect(resultOf(await follower.ended)).toMatchObject({ status: 'DONE', branch: 'drydock/second-spec' })
    expect(resultOf(await drydock('resume', first.run, '--json').ended)).toMatchObject({
      status: 'DONE',
      branch: 'drydock/first-spec',
    })
  })
})

test('a question ends a command that nobody waits at, with what to do', async () => {
  fixture = await createCrewFixture({ config })
  const file = join(fixture.folder, 'asking.json')
  await writeFile(file, JSON.stringify({ version: 1, lanes: asking('first') }))
  const ended = await drydock('run', 'First spec', '--model', `replay:${file}`).ended
  expect(ended.exitCode, ended.stderr).toBe(6)
  expect(ended.stderr).toContain('Without a terminal it waits only with --wait.')
  expect(ended.stderr).not.toMatch(/Dashboard|token=|http:/)
})

describe('Ctrl-C', () => {
  test('while a human is waited for ends with 130, and the question stays', async () => {
    fixture = await createCrewFixture({ config })
    const owner = await start('First spec', asking('first'))
    const { id } = await question(owner)
    owner.child.kill('SIGINT')
    const stopped = await owner.ended
    expect(stopped).toMatchObject({ exitCode: 130, signal: null })
    expect(stopped.stderr).toContain('Continue with: drydock resume')
    expect(await processesOf(fixture.folder)).toEqual([])
    const waiting = await resume(fixture)
    expect(waiting.exitCode).toBe(6)
    expect((await drydock('reply', id, 'Fine.').ended).exitCode).toBe(0)
    expect(resultOf(await resume(fixture))).toMatchObject({ status: 'DONE' })
  })

  test.each([
    ['SCOPING', machineIn('run', 'SCOPING')],
    ['STORY_GENERATION', machineIn('run', 'STORY_GENERATION')],
    ['PLAN_REVIEW', machineIn('story', 'PLAN_REVIEW')],
    ['VERIFYING', machineIn('story', 'VERIFYING')],
    ['CODE_REVIEW', machineIn('story', 'CODE_REVIEW')],
    ['MERGING', machineIn('merge', 'MERGING')],
  ])('in %s loses nothing, and nothing is asked twice', async (_state, when) => {
    fixture = await storeCrew(green)
    await interruptWhen(fixture, run, when)
    expect(await processesOf(fixture.folder)).toEqual([])
    await expectBuilt(fixture, await resume(fixture))
  })
})

/** Fields that a machine of a kind had when there was no crew. */
const before: Readonly<Record<string, readonly string[]>> = {
  run: [
    'request',
    'target',
    'configFile',
    'models',
    'slot',
    'base',
    'config',
    'branch',
    'applied',
    'diff',
    'answer',
    'error',
    'unkept',
    'parked',
  ],
  story: [
    ...[
      'name',
      'task',
      'dryRun',
      'base',
      'slot',
      'retries',
      'planning',
      'failures',
      'plans',
      'hypotheses',
      'attempts',
      'queries',
    ],
    ...['contextFiles', 'snapshots', 'snapshot', 'lane', 'change', 'summary', 'stuckReport', 'guidance', 'stop'],
  ],
  lane: [
    'key',
    'role',
    'parent',
    'system',
    'limits',
    'turn',
    'iterations',
    'failedCalls',
    'calls',
    'results',
    'repeated',
  ],
  verification: ['runId', 'commit', 'base', 'checkout', 'requestedAt'],
}

describe('a task that an older Drydock has left', () => {
  async function leave(when: Condition): Promise<string> {
    fixture = await createFixture()
    const model = await fixture.replay(greenLanes)
    const drydock = await fixture.open()
    const task = { text: 'say new', constraints: [], non_goals: [], files: [] }
    const request = { kind: 'task', task, dryRun: false, apply: false } as const
    const models = { architect: null, editor: model, scout: model }
    await drydock.submit('start', { kind: 'start', run: 'old', request, target: null, configFile: null, models })
    await interruptWhen(fixture, 'old', when)
    makeOld(join(drydock.state, 'drydock.db'))
    return 'old'
  }

  /** Puts what there is into a database as the first Drydock made it, without what came later. */
  function makeOld(file: string): void {
    const made = `${file}-old`
    const database = new DatabaseSync(made)
    database.exec(readFileSync(new URL('../adapters/state-001.sql', import.meta.url), 'utf8'))
    database.exec(`attach '${file}' as now`)
    const tables = database.prepare("select name from main.sqlite_master where type = 'table'").all()
    for (const name of tables.map((table) => String(table.name)).filter((table) => !/^(kysely|sqlite)_/.test(table))) {
      const columns = database.prepare(`select name from pragma_table_info('${name}', 'main')`).all()
      const names = columns.map((column) => column.name).join(', ')
      database.exec(`delete from main.${name}; insert into main.${name} (${names}) select ${names} from now.${name}`)
    }
    database.exec("delete from main.machines where kind = 'slot'")
    for (const { id, kind, data } of database.prepare('select id, kind, data from main.machines').all()) {
      const whole = JSON.parse(String(data))
      const old = Object.fromEntries((before[String(kind)] ?? []).map((field) => [field, whole[field]]))
      if (old.models) delete old.models.architect
      for (const newer of ['scoping', 'request', 'reviewRounds']) if (old.config) delete old.config[newer]
      database.prepare('update main.machines set data = ? where id = ?').run(JSON.stringify(old), String(id))
    }
    database.close()
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    renameSync(made, file)
  }

  test.each([
    ['CODING', machineIn('story', 'CODING')],
    ['VERIFYING', machineIn('story', 'VERIFYING')],
  ])('in %s can be looked at, and is brought to its end', async (_state, when) => {
    await leave(when)
    expect((await fixture.drydock('status')).stdout).toMatch(/^old +INTERRUPTED .*say new$/m)
    expect(await fixture.drydock('chat')).toMatchObject({ exitCode: 0 })
    const done = await fixture.drydock('resume', '--json')
    expect(done.exitCode, done.stderr).toBe(0)
    expect(resultOf(done)).toMatchObject({ status: 'DONE', run: 'old', branch: 'drydock/say-new' })
    expect(await read(fixture, (records) => records.isIdle('old'))).toBe(true)
  })

  test('can be cancelled', async () => {
    await leave(machineIn('story', 'CODING'))
    const done = await fixture.drydock('cancel', '--json')
    expect(done.exitCode, done.stderr).toBe(5)
    expect((await fixture.drydock('report')).exitCode).toBe(0)
  })
})
