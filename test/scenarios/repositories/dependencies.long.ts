import { afterEach, describe, expect, test } from 'vitest'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  plan,
  resultOf,
  type Turns,
} from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const install = {
  name: 'install',
  command: 'grep -q ^good lock && mkdir deps && cp lock deps/installed',
  inputs: ['lock'],
  outputs: ['deps'],
}
const steps = [{ name: 'test', command: 'grep -q new value.txt && cmp lock deps/installed', timeout_sec: 120 }]

/** A repository whose test needs the output of `prepare` for its lockfile. */
async function given(lock: string): Promise<void> {
  const config = JSON.stringify({ verification: { prepare: [install], steps } })
  fixture = await createFixture({ files: { lock, '.gitignore': 'deps\n', '.drydock/config.json': config } })
}

async function task(coding: Turns): Promise<CommandResult> {
  const lanes = { 'editor/task/PLANNING': [plan({ files: ['value.txt', 'lock'] })], 'editor/task/CODING': coding }
  return fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
}

const write = (path: string, content: string) => call('write_file', { path, content })
const preparing = ({ events }: CommandResult) => events.filter(({ type }) => type === 'prepare')

describe('dependencies', () => {
  test('are made once for a story, and read-only for its editor', async () => {
    await given('good 1\n')
    const look = call('run_command', { command: 'cat deps/installed; touch deps/x; git status --short' })
    const done = await task([look, write('value.txt', 'new\n'), change()])
    expect(resultOf(done)).toMatchObject({ status: 'DONE', stories: [{ findings: [] }] })
    expect(preparing(done)).toMatchObject([{ step: 'install', command: install.command, story: 'task' }])
    const reader = (await fixture.open()).openRecords()
    const execution = await reader?.toolExecution(`${resultOf(done).run}/editor/task/CODING`, 0, 0)
    const [brief] = (await reader?.messages(`${resultOf(done).run}/editor/task/PLANNING`)) ?? []
    await reader?.close()
    expect(JSON.stringify(brief)).toContain(
      `deps: read-only, made by \`${install.command}\`. The verifier makes it again if you change lock.`,
    )
    expect(execution?.result).toMatch(/^good 1\ntouch: cannot touch 'deps\/x': Read-only file system\n\(exit code 0\)$/)
  })

  test('of a change with its own lockfile are made again, and the summary says so', async () => {
    await given('good 1\n')
    const done = await task([write('value.txt', 'new\n'), write('lock', 'good 2\n'), change()])
    const claim = 'lock is modified, which decides about installed dependencies.'
    expect(resultOf(done)).toMatchObject({
      status: 'DONE',
      stories: [{ findings: [{ state: 'open', file: 'lock', claim }] }],
    })
    expect(preparing(done)).toHaveLength(2)
    expect((await fixture.drydock('report')).stdout).toMatch(
      /## Findings of the gate\n+- g-[0-9a-f]{12}: lock is modified, which decides about installed dependencies\./,
    )
  })

  test('that only the change fails to make are its failure, which it can mend', async () => {
    await given('good 1\n')
    const broken = [write('value.txt', 'new\n'), write('lock', 'bad\n'), change('Broken')]
    const done = await task([...broken, write('lock', 'good 2\n'), change('Mended')])
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    const verdicts = done.events.filter(({ type }) => type === 'verification').map(({ status }) => status)
    expect(verdicts).toEqual(['FAIL', 'PASS'])
  })

  test('that the base itself fails to make end the story at once, with the log', async () => {
    await given('bad\n')
    const done = await task([])
    expect(done.exitCode).toBe(4)
    expect(resultOf(done)).toMatchObject({ status: 'INFRA_ERROR' })
    const report = (await fixture.drydock('report')).stdout
    expect(report).toContain('prepare_failed: prepare step "install"')
    expect(report).toContain('[drydock] install: exit code 1')
  })
})
