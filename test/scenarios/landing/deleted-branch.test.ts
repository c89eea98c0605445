import { afterEach, describe, expect, test } from 'vitest'
import { createCrewFixture, createFixture, type Fixture } from '../../world/fixture.ts'
import { greenStory, specLanes } from '../world/crew.ts'
import { greenLanes, resultOf } from '../world/fixture.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const commitOf = async (branch: string) => (await fixture.git('rev-parse', branch)).trim()

describe('a result whose branch was deleted', () => {
  test('of a spec is reported by the next run of the same spec, with the command that restores it', async () => {
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

  test('of a task is no longer shown as available', async () => {
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

  test('of a task is reported by `diff` and `land`, which still use its commit', async () => {
    fixture = await createFixture()
    const done = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
    const { run, branch } = resultOf(done)
    const sha = await commitOf(String(branch))
    await fixture.git('branch', '-D', String(branch))
    const diff = await fixture.drydock('diff', String(run))
    expect([diff.exitCode, diff.stdout]).toEqual([0, expect.stringContaining('+new')])
    expect(diff.stderr).toContain(`Get it back: git branch ${branch} ${sha}`)
    const { events } = await fixture.drydock('diff', String(run), '--json')
    expect(events.at(-1)).toMatchObject({ type: 'diff', gone: { taken: false } })

    await fixture.write({ 'value.txt': 'mine\n' })
    const refused = await fixture.drydock('land', String(run), '--apply')
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`use the commit ${sha.slice(0, 12)}`),
    ])
    await fixture.write({ 'value.txt': 'old\n' })
    const landed = await fixture.drydock('land', String(run), '--onto', 'main')
    expect([landed.exitCode, landed.stderr]).toEqual([0, expect.stringContaining(`The branch ${branch} was deleted.`)])
    expect(await commitOf('main')).toBe(sha)
  })

  test('has a line below the list of runs until its commit is in use', async () => {
    fixture = await createFixture()
    const done = await fixture.drydock('task', 'Say new', '--model', await fixture.replay(greenLanes), '--json')
    const { run, branch } = resultOf(done)
    const sha = await commitOf(String(branch))
    const listed = async () =>
      (await fixture.drydock('status')).stdout.split('\n').filter((line) => line.includes(String(run)))
    expect(await listed()).toEqual([expect.stringContaining(` DONE `)])
    await fixture.git('branch', '-D', String(branch))
    const told = `${run}: The branch ${branch} was deleted. Its commit ${sha.slice(0, 12)} still exists. Get it back: git branch ${branch} ${sha}`
    expect(await listed()).toEqual([expect.stringContaining(' NOT_APPLIED '), told])
    await fixture.git('branch', 'kept', sha)
    expect(await listed()).toEqual([expect.stringContaining(` DONE `)])
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
