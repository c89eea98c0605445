import { describe, expect, test } from 'vitest'
import { at } from './git-world.ts'
import { gits, readyOf } from './gits.ts'
import { historyContract } from './history-contract.ts'

describe.each(gits)('history of $name', (git) => {
  historyContract(git)

  test('hidden refs are listed in the order of their numbers, with their commits, until they are forgotten', async () => {
    const { history, tip, signal } = await readyOf(git)
    const tree = await history.tree(tip)
    const keep = (ref: string, message: string, parents: readonly string[]) =>
      history.commit({ tree, parents, message, ref, at: new Date(at.getTime() + 999) })
    const ten = await keep('refs/drydock/a/10', 'Ten\n\nAnd more', [tip])
    const two = await keep('refs/drydock/a/2', 'Two', [])
    await keep('refs/drydock/ab/1', 'Other', [])
    const shown = { tree, at: '2026-11-03T10:00:00.000Z' }
    expect(await history.hidden('refs/drydock/a/')).toEqual([
      { ref: 'refs/drydock/a/2', sha: two, ...shown, parent: null, subject: 'Two' },
      { ref: 'refs/drydock/a/10', sha: ten, ...shown, parent: tip, subject: 'Ten' },
    ])
    await history.forget(['refs/drydock/a/2'], signal)
    expect((await history.hidden('refs/drydock/a/')).map(({ sha }) => sha)).toEqual([ten])
  })
})
