import { afterEach, describe, expect, test } from 'vitest'
import { createCrewFixture, createFixture, type Fixture } from '../world/fixture.ts'
import { greenStory, specLanes } from './world/crew.ts'
import { greenLanes, resultOf } from './world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const commitOf = async (branch: string) => (await fixture.git('rev-parse', branch)).trim()

describe('a result whose branch was deleted', () => {
  test('of a spec is told as such by the next run of the same spec, with the line that gets it back', async () => {
    fixture = await createCrewFixture()
    const model = await fixture.replay({ ...specLanes('one'), ...greenStory('one') })
    const again = () => fixture.drydock('run', 'Make the files', '--model', model, '--no-wait')
    expect((await again()).exitCode).toBe(0)
    const branch = 'drydock/make-the-files'
    const sha = await commitOf(branch)
    expect((await again()).stdout).toContain(`Take it:   git merge ${branch}`)

    await fixture.git('branch', '-D', branch)
    const told = await again()
    expect(told.exitCode).toBe(2)
    expect(told.stdout).not.toContain('Take it')
    expect(told.stdout).toContain(
      `NOT_APPLIED. The branch ${branch} was deleted. Its commit ${sha.slice(0, 12)} still exists.`,
    )
    const [, back = ''] = /Get it back: git (.*)/.exec(told.stdout) ?? []
    expect(back).toBe(`branch ${branch} ${sha}`)
    const json = await fixture.drydock('run', 'Make the files', '--model', model, '--no-wait', '--json')
    expect(resultOf(json)).toMatchObject({ outcome: { code: 'NOT_APPLIED' }, gone: { taken: false } })
    expect((await fixture.drydock('status')).stdout).toContain(`Get it back: git branch ${branch} ${sha}`)
    expect((await fixture.drydock('report')).stdout).toContain(`Get it back: git branch ${branch} ${sha}`)

    await fixture.git(...back.split(' '))
    const taken = await again()
    expect([taken.exitCode, taken.stdout]).toEqual([0, expect.stringContaining(`Take it:   git merge ${branch}`)])
  })

  test('of a task is no longer shown as one that can be taken', async () => {
    fixture = await createFixture()
    const done = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
    const { run, branch } = resultOf(done)
    const sha = await commitOf(String(branch))
    await fixture.git('branch', '-D', String(branch))
    for (const command of ['watch', 'report', 'status']) {
      const { stdout } = await fixture.drydock(command, String(run))
      expect([command, stdout]).toEqual([command, expect.stringContaining(`Get it back: git branch ${branch} ${sha}`)])
      expect(stdout).not.toContain('git merge')
    }
  })

  test('after it was merged is done', async () => {
    fixture = await createFixture()
    const done = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
    const { run, branch } = resultOf(done)
    expect((await fixture.drydock('land', String(run), '--onto', 'main')).exitCode).toBe(0)
    await fixture.git('branch', '-D', String(branch))
    const told = await fixture.drydock('watch', String(run))
    expect([told.exitCode, told.stdout]).toEqual([0, expect.stringContaining('is in main.')])
    expect(told.stdout).not.toContain('git merge')
  })
})
