import { describe, expect, test } from 'vitest'
import { at, writeFiles } from './git-world.ts'
import { alone, ready } from './work-trees-world.ts'

describe('the commits of a checkout', () => {
  test('are whole, one on another and many at once, with folders and merges', async () => {
    const world = await ready({ 'a/b/c': 'c\n', 'a/d': 'd\n', e: 'e\n' })
    const { history, tip, repository, git, commitAll, userRepository, signal } = world
    const made = async (base: string, parents: readonly string[], files: Readonly<Record<string, string>>) => {
      const listed = Object.entries(files).map(([path, content]) => ({ path, content }))
      const tree = await history.treeWith({ base, from: base, paths: [], files: listed })
      return history.commit({ tree, parents, message: 'm', at, ref: `refs/drydock/${parents.length}/${base}` })
    }
    const whole = (head: string, commits: number) => ({
      problems: '',
      commits: `${commits}`,
      tags: [],
      head,
      status: '',
    })
    const one = await made(tip, [tip], { 'a/b/c': 'new\n', 'f/g': 'g\n' })
    expect(await alone(world, one)).toEqual(whole(one, 2))
    expect(await alone(world, tip)).toEqual(whole(tip, 1))
    const two = await made(tip, [tip], { 'a/d/x': 'x\n' })
    const both = await made(two, [two, one], { 'a/b/c': 'new\n', 'f/g': 'g\n' })
    expect(await alone(world, both)).toEqual(whole(both, 4))
    const own = await made(both, [both], { e: 'again\n' })
    expect(await alone(world, own)).toEqual(whole(own, 5))
    expect(await alone(world, one)).toEqual(whole(one, 2))
    for (let i = 0; i < 40; i += 1) git('commit', '--quiet', '--allow-empty', '--message', `${i}`)
    writeFiles(repository, { 'f/h': 'h\n' })
    const far = commitAll()
    await userRepository.updateMirror(signal)
    expect(await alone(world, far)).toEqual(whole(far, 42))
    const next = await made(far, [far], { 'f/h': 'i\n' })
    expect(await alone(world, next)).toEqual(whole(next, 43))
  })

  test('are copied while they are few objects, and are git’s to fetch when they are many', async () => {
    const world = await ready()
    const { repository, commitAll, userRepository, signal, gitIn, workTrees, tip } = world
    const change = async (files: number) => {
      const names = Array.from({ length: files }, (_, i) => [`of ${files}/${i}`, `${i} of ${files}\n`])
      writeFiles(repository, Object.fromEntries(names))
      const sha = commitAll()
      await userRepository.updateMirror(signal)
      return sha
    }
    const path = await workTrees.checkout('coder-001', tip, signal)
    const fetched = () => gitIn(path, 'for-each-ref', '--format=%(objectname)', 'refs/drydock/commit')
    const whole = (head: string) => ({ problems: '', tags: [], head, status: '' })
    const few = await change(3)
    expect(await alone(world, few)).toMatchObject(whole(few))
    expect(fetched()).toBe('')
    const many = await change(1_001)
    expect(await alone(world, many)).toMatchObject(whole(many))
    expect(fetched()).toBe(many)
  })
})
