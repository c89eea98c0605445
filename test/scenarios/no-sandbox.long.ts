import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freshFixture } from './world/conversation.ts'
import { call, type Fixture, greenLanes, resultOf, runHere } from './world/fixture.ts'
import { expectBuilt, green, resume, storeCrew } from './world/stored-crew.ts'

describe('a machine without a sandbox', () => {
  test('ends the story with a stuck report and the line that installs one', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const env = { ...fixture.env, PATH: await onlyGit(fixture) }
    const model = await fixture.replay(greenLanes)
    const done = await runHere(['task', 'say new', '--json', '--model', model, '--repo', fixture.repo], env)
    expect(done.exitCode).toBe(4)
    const [story] = resultOf(done).stories as { stuck_report: string }[]
    expect(resultOf(done)).toMatchObject({
      status: 'INFRA_ERROR',
      stories: [{ state: 'INFRA_ERROR', error_type: 'sandbox_unavailable', run_id: null }],
    })
    expect(story?.stuck_report).toContain('sandbox_unavailable')
    expect(story?.stuck_report).toContain('install')
  })

  test('answers no scout, and says the same', async ({ onTestFinished }) => {
    const fixture = await freshFixture(onTestFinished)
    const env = { ...fixture.env, PATH: await onlyGit(fixture) }
    const model = await fixture.replay({ 'scout/build/task/1.1': [call('read_file', { path: 'value.txt' })] })
    const done = await runHere(['scout', 'build', 'how?', '--json', '--model', model, '--repo', fixture.repo], env)
    expect(done.exitCode).toBe(4)
    expect(resultOf(done)).toMatchObject({ status: 'INFRA_ERROR', answer: { error_type: 'sandbox_unavailable' } })
  })
})

/** A PATH with git and nothing else. */
async function onlyGit(fixture: Fixture): Promise<string> {
  const folder = join(fixture.folder, 'bin')
  await mkdir(folder)
  const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v git'])
  await symlink(stdout.trim(), join(folder, 'git'))
  return folder
}

async function which(name: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', `command -v ${name}`])).stdout.trim()
}

test('an architect without a sandbox stops the Run, before any model is asked, and says why', async () => {
  const fixture = await storeCrew(green)
  onTestFinished(() => fixture.remove())
  const programs = join(fixture.folder, 'bin')
  await mkdir(programs)
  for (const name of ['git', 'sh']) await symlink(await which(name), join(programs, name))
  const stopped = await runHere(['resume', '--json', '--repo', fixture.repo], { ...fixture.env, PATH: programs })
  expect(stopped.exitCode).toBe(4)
  expect(resultOf(stopped)).toMatchObject({
    status: 'ERROR',
    error: { code: 'architect_sandbox_ended', message: expect.stringContaining('bubblewrap is missing') },
  })
  expect(stopped.events.filter(({ type }) => type === 'model_call')).toEqual([])
  await expectBuilt(fixture, await resume(fixture))
})
