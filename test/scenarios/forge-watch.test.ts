import { describe, expect, test } from 'vitest'
import { localToken } from '../forge/forge-model.ts'
import { createWatchWorld, expectGood } from '../forge/watch-world.ts'

describe.each(['github', 'gitlab', 'forgejo'] as const)('on %s', (kind) => {
  test('an issue becomes a task with one comment, which is edited, and its result a change', async () => {
    const world = await createWatchWorld(kind)
    const { forge, fixture } = world
    world.ask({})
    expectGood(await world.poll())
    expect(world.told(7)).toEqual([expect.stringContaining('waits for its turn')])
    const done = await world.watch()
    expectGood(done)
    const [change, ...others] = forge.changes
    expect(others).toEqual([])
    expect(change).toMatchObject({ title: 'Say new', base: 'main', state: 'open' })
    expect(await forge.git('show', `${change?.head}:value.txt`)).toBe('new')
    expect(forge.statuses).toMatchObject([{ context: 'drydock/verified', state: 'success' }])
    expect(world.told(7)).toEqual([expect.stringContaining('State: **DONE**')])
    expect(world.told(7)[0]).toMatch(/Result: http:\/\/127.*\/1\n/)
    expectGood(await world.watch())
    expect(forge.comments).toHaveLength(1)
    expect(forge.changes).toHaveLength(1)
    expect((await fixture.drydock('status', '--json')).events.filter(({ type }) => type === 'status')).toHaveLength(1)
    expect(done.stdout + done.stderr + world.told(7)[0]).not.toContain(localToken)
  })
})
