import { describe, expect, test } from 'vitest'
import { gits, readyOf } from './gits.ts'

describe.each(gits)('a publisher of $name', (git) => {
  /** Two commits of the mirror, the second after the first. */
  async function made() {
    const world = await readyOf(git)
    const first = await world.change({ 'README.md': 'two\n' })
    const second = await world.change({ 'README.md': 'three\n', 'new.txt': 'n\n' }, 'refs/drydock/story/2', [first])
    return { ...world, first, second }
  }

  /** The branch points to `first`. */
  async function published() {
    const world = await made()
    await world.publisher.publish('drydock/x', world.first, null)
    return world
  }

  test('makes the branch in the user’s repository and the mirror, again and at once without effect', async () => {
    const { publisher, user, files, mirrorRefs, first, tip } = await made()
    expect(await publisher.check('drydock/x', first, null)).toBe(false)
    expect(user.refs()).toEqual({ 'refs/heads/main': tip })
    await Promise.all([1, 2, 3].map(() => publisher.publish('drydock/x', first, null)))
    await publisher.publish('drydock/x', first, null)
    expect(await publisher.check('drydock/x', first, null)).toBe(true)
    expect(user.refs()).toEqual({ 'refs/heads/drydock/x': first, 'refs/heads/main': tip })
    expect(mirrorRefs()).toMatchObject({ 'refs/heads/drydock/x': first })
    expect([user.isClean(), files(first)]).toEqual([true, { 'README.md': 'two\n' }])
  })

  test('a branch that is elsewhere stays there, even one that could be fast-forwarded', async () => {
    const { publisher, user, first, tip } = await made()
    user.branch('drydock/x')
    for (const act of [publisher.publish, publisher.check])
      await expect(act('drydock/x', first, null)).rejects.toMatchObject({
        code: 'git_failed',
        message: `The branch drydock/x already exists in ${user.path} at ${tip}, not at ${first}.`,
      })
    expect(user.at('drydock/x')).toBe(tip)
  })

  test('moves a branch on from exactly the commit that is named, again without effect', async () => {
    const { publisher, user, first, second, tip } = await published()
    await publisher.publish('drydock/x', second, first)
    await publisher.publish('drydock/x', second, first)
    expect([user.at('drydock/x'), user.at('HEAD'), user.isClean()]).toEqual([second, tip, true])
    await publisher.publish('drydock/x', tip, second)
    expect(user.at('drydock/x')).toBe(tip)
  })

  test('a branch that somebody moved or removed is left as it is, with the commands that mend it', async () => {
    const { publisher, user, first, second, tip } = await published()
    user.branch('drydock/x', tip)
    const moved = { code: 'git_failed', message: expect.stringContaining(`to ${tip}. Drydock left it at ${first}`) }
    const mend = `git branch drydock/x-mine ${tip} && git update-ref refs/heads/drydock/x ${first} && drydock resume`
    await expect(publisher.publish('drydock/x', second, first)).rejects.toMatchObject({ ...moved, todo: mend })
    expect(user.at('drydock/x')).toBe(tip)
    user.switchTo('drydock/x')
    await expect(publisher.publish('drydock/x', second, first)).rejects.toMatchObject({
      ...moved,
      todo: `git -C ${JSON.stringify(user.path)} switch --detach && ${mend}`,
    })
    user.switchTo('main')
    user.removeBranch('drydock/x')
    await expect(publisher.publish('drydock/x', second, first)).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('no longer exists'),
      todo: `git branch drydock/x ${first} && drydock resume`,
    })
    expect(user.at('drydock/x')).toBeNull()
  })

  test('a branch that is checked out is not moved', async () => {
    const { publisher, user, first, second } = await published()
    user.switchTo('drydock/x')
    await expect(publisher.publish('drydock/x', second, first)).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining(`checked out in ${user.path}`),
      todo: expect.stringMatching(/another branch.*drydock resume/),
    })
    await publisher.publish('drydock/x', first, null)
    user.switchTo('main')
    await publisher.publish('drydock/x', second, first)
    expect(user.at('drydock/x')).toBe(second)
  })

  test('two that move it at once agree, and one that comes with another commit is refused', async () => {
    const { publisher, user, first, second, tip } = await published()
    const moves = [second, second, tip].map((sha) => publisher.publish('drydock/x', sha, first))
    const [one, two, other] = await Promise.allSettled(moves)
    const now = user.at('drydock/x')
    expect([one?.status, two?.status]).toEqual(Array(2).fill(now === second ? 'fulfilled' : 'rejected'))
    expect(other?.status).toBe(now === tip ? 'fulfilled' : 'rejected')
    expect([second, tip]).toContain(now)
  })

  test('advances a branch that nobody has checked out', async () => {
    const { publisher, user, mirrorRefs, first, second, tip } = await published()
    await expect(publisher.advance('drydock/x', second, tip)).rejects.toMatchObject({ code: 'branch_moved' })
    await expect(publisher.advance('drydock/none', second, first)).rejects.toMatchObject({ code: 'branch_moved' })
    await publisher.advance('drydock/x', second, first)
    await publisher.advance('drydock/x', second, first)
    expect([user.at('drydock/x'), user.at('HEAD'), user.isClean()]).toEqual([second, tip, true])
    expect(mirrorRefs()).toMatchObject({ 'refs/heads/drydock/x': second })
  })

  test('advances a branch that is checked out with its files, and refuses local changes', async () => {
    const { publisher, user, write, shown, first, second } = await published()
    user.switchTo('drydock/x')
    write(user.path, { 'README.md': 'mine\n' })
    await expect(publisher.advance('drydock/x', second, first)).rejects.toMatchObject({ code: 'apply_refused' })
    expect([user.at('drydock/x'), shown(user.path)]).toEqual([first, { 'README.md': 'mine\n' }])
    write(user.path, { 'README.md': 'two\n', 'new.txt': 'in the way\n' })
    await expect(publisher.advance('drydock/x', second, first)).rejects.toMatchObject({ code: 'git_failed' })
    expect(user.at('drydock/x')).toBe(first)
    write(user.path, { 'new.txt': null, 'mine.txt': 'm\n' })
    await publisher.advance('drydock/x', second, first)
    expect(user.at('drydock/x')).toBe(second)
    expect(shown(user.path)).toEqual({ 'README.md': 'three\n', 'mine.txt': 'm\n', 'new.txt': 'n\n' })
    write(user.path, { 'mine.txt': null })
    expect(user.isClean()).toBe(true)
  })

  test('a note is the only one of its commit, which comes along, byte for byte', async () => {
    const { publisher, user, userRepository, first, tip } = await made()
    const note = (text: string) => publisher.note({ sha: first, text, at: new Date(0) })
    const text = '  {"a":\t1}  \n\n\n# no comment\n'
    await note('first\n')
    await note(text)
    await note(text)
    expect(user.notes()).toEqual({ [first]: text })
    expect(await userRepository.parentsOf(first)).toEqual([tip])
    expect(await userRepository.noted()).toEqual(new Set([first]))
    expect([user.isClean(), user.refs()]).toEqual([true, { 'refs/heads/main': tip }])
  })

  test('notes that the user has stay, also those that came since; those that were removed with their ref come back', async () => {
    const { publisher, user, first, tip } = await made()
    const note = (text: string, sha = first) => publisher.note({ sha, text, at: new Date(0) })
    user.writeNote(tip, 'mine\n')
    await note('ours\n')
    expect(user.notes()).toEqual({ [first]: 'ours\n', [tip]: 'mine\n' })
    user.writeNote(tip, 'mine, later\n')
    await note('ours, later\n')
    expect(user.notes()).toEqual({ [first]: 'ours, later\n', [tip]: 'mine, later\n' })
    user.removeNote(first)
    await note('ours, later\n')
    expect(user.notes()).toEqual({ [first]: 'ours, later\n', [tip]: 'mine, later\n' })
    user.removeNote(null)
    await note('ours again\n')
    expect(user.notes()).toEqual({ [first]: 'ours again\n', [tip]: 'mine, later\n' })
  })

  test('many notes at once all stay, also those of another process', async () => {
    const { publisher, another, user, first, tip } = await made()
    const at = new Date(0)
    const all = [publisher, another().publisher]
    await Promise.all([
      ...all.map((each) => each.note({ sha: first, text: 'ours\n', at })),
      ...all.map((each) => each.note({ sha: tip, text: 'tip\n', at })),
    ])
    expect(user.notes()).toEqual({ [first]: 'ours\n', [tip]: 'tip\n' })
  })
})
