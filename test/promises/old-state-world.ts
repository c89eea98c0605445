import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { createFixture, type Fixture, greenLanes, resultOf } from '../scenarios/world/fixture.ts'
import { type Condition, interruptWhen } from '../scenarios/world/interrupt.ts'
import { read } from '../scenarios/world/stored-crew.ts'

/** Fields that a machine of each kind had before crews existed. */
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
    'contextFiles',
    'snapshots',
    'snapshot',
    'lane',
    'change',
    'summary',
    'stuckReport',
    'guidance',
    'stop',
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

/** A task that an older Drydock has left there. */
export async function leftByOlder(when: Condition): Promise<Fixture> {
  const fixture = await createFixture()
  const model = await fixture.replay(greenLanes)
  const drydock = await fixture.open()
  const task = { text: 'say new', constraints: [], non_goals: [], files: [] }
  const request = { kind: 'task', task, dryRun: false, apply: false } as const
  const models = { architect: null, editor: model, scout: model }
  await drydock.submit('start', { kind: 'start', run: 'old', request, target: null, configFile: null, models })
  await interruptWhen(fixture, 'old', when)
  makeOld(join(drydock.state, 'drydock.db'))
  return fixture
}

/** Copies the state into a database in the schema of the first Drydock, without later additions. */
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

/** The task can be inspected, and is completed. */
export async function expectToEnd(fixture: Fixture): Promise<void> {
  expect((await fixture.drydock('status')).stdout).toMatch(/^old +INTERRUPTED .*say new$/m)
  expect(await fixture.drydock('chat')).toMatchObject({ exitCode: 0 })
  const done = await fixture.drydock('resume', '--json')
  expect(done.exitCode, done.stderr).toBe(0)
  expect(resultOf(done)).toMatchObject({ status: 'DONE', run: 'old', branch: 'drydock/say-new' })
  expect(await read(fixture, (records) => records.isIdle('old'))).toBe(true)
}
