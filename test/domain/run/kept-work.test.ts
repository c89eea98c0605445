import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isBranchName } from '../../../src/domain/run/branch-name.ts'
import { freeBranch } from '../../../src/domain/run/free-branch.ts'
import {
  numberOfRef,
  refsToForget,
  type Standing,
  snapshotRefs,
  standingOf,
  storyOfRef,
} from '../../../src/domain/run/kept-work.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import { policyFor } from '../../../src/domain/run/run-policy.ts'
import type { Story } from '../../../src/domain/story/story.ts'

const now = new Date('2026-11-22T12:00:00Z')
const story = 'run-1/parser'
const ref = (path: string, { days = 100, sha = path }: { days?: number; sha?: string } = {}) => ({
  ref: `refs/drydock/${path}`,
  sha,
  at: new Date(now.getTime() - days * 86_400_000).toISOString(),
})
const snapshot = (n: number, more: { days?: number; sha?: string } = {}) => ref(`snapshots/${story}/${n}`, more)
const forget = (refs: readonly ReturnType<typeof ref>[], standing: Standing) =>
  refsToForget(refs, { story, standing, now })

describe('the kept work of a story that retention drops', () => {
  const candidate = ref(`candidates/${story}/run_1`)
  const all = [snapshot(2), snapshot(10), candidate, ref(`merges/${story}/run_2`)]

  test('is none while the story may continue, all once it has landed, and all but the last snapshot once it was given up', () => {
    expect(forget(all, 'open')).toEqual([])
    expect(forget(all, 'landed')).toEqual(all.map((each) => each.ref))
    expect(forget(all, 'given_up')).toEqual([all[0]?.ref, all[2]?.ref, all[3]?.ref])
    expect(forget([snapshot(1), snapshot(2, { sha: 'x' }), snapshot(3, { sha: 'x' })], 'given_up')).toEqual([
      snapshot(1).ref,
      snapshot(3).ref,
    ])
  })

  test('is nothing while anything of it is young, or when a verified commit is all that is left', () => {
    for (const standing of ['landed', 'given_up'] as const)
      expect(forget([...all, snapshot(11, { days: 13.9 })], standing)).toEqual([])
    expect(forget([candidate], 'given_up')).toEqual([])
  })

  test('never leaves a story that has not landed without its newest snapshot, whatever there is', () => {
    const entries = fc.array(
      fc.record({
        n: fc.integer({ min: 1, max: 30 }),
        days: fc.integer({ min: 0, max: 40 }),
        sha: fc.constantFrom('a', 'b', 'c'),
      }),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(entries, fc.constantFrom('open' as const, 'given_up' as const), (found, standing) => {
        const refs = found.map(({ n, ...more }) => snapshot(n, more))
        const gone = new Set(forget(refs, standing))
        const newest = Math.max(...found.map(({ n }) => n))
        const shas = new Set(refs.filter((each) => each.ref === snapshot(newest).ref).map(({ sha }) => sha))
        expect(refs.some((each) => !gone.has(each.ref) && shas.has(each.sha))).toBe(true)
      }),
    )
  })
})

test('a ref names its story, or none', () => {
  expect(storyOfRef(`${snapshotRefs(story)}7`)).toBe(story)
  expect(storyOfRef(`refs/drydock/candidates/${story}/run_1`)).toBe(story)
  expect(storyOfRef(`refs/drydock/looks/${story}/last`)).toBe(story)
  expect(storyOfRef('refs/drydock/user')).toBe(null)
  expect(storyOfRef('refs/heads/main')).toBe(null)
})

test('a story has landed only when its change is on a branch', () => {
  const of = (kind: 'task' | 'spec', state: Run['state'], branch: string | null, storyState: Story['state']) =>
    standingOf(
      { state, data: { request: { kind }, policy: policyFor({ kind }), branch } } as Run,
      { state: storyState } as Story,
    )
  expect(of('spec', 'MONITORING', 'b', 'DONE')).toBe('open')
  expect(of('spec', 'DONE', 'b', 'DONE')).toBe('landed')
  expect(of('spec', 'CANCELLED', 'b', 'CANCELLED')).toBe('given_up')
  expect(of('task', 'DONE', 'b', 'DONE')).toBe('landed')
  expect(of('task', 'DONE', null, 'DONE')).toBe('given_up')
  expect(of('task', 'STUCK', 'b', 'STUCK')).toBe('open')
  expect(of('task', 'CANCELLED', 'b', 'CANCELLED')).toBe('given_up')
  const ofSeveral = (moved: boolean) => {
    const landing = [{ repository: null, sha: 'a', moved }]
    const data = { request: { kind: 'spec' }, policy: policyFor({ kind: 'spec' }), repositories: [], landing }
    return standingOf(
      { state: 'CANCELLED', data } as unknown as Run,
      { state: 'DONE', data: { planned: null } } as Story,
    )
  }
  expect([ofSeveral(true), ofSeveral(false)]).toEqual(['landed', 'open'])
})

test('a free name is neither a branch nor a folder of branches', () => {
  expect(freeBranch('a', new Set())).toBe('a')
  expect(freeBranch('a', new Set(['a', 'a-2']))).toBe('a-3')
  expect(freeBranch('a', new Set(['a/b', null]))).toBe('a-2')
})

test('names of branches are those that git takes', () => {
  for (const name of ['a', 'drydock/restored/task-3', 'ü/ö', 'a.b', 'a-b_c']) expect(isBranchName(name)).toBe(true)
  for (const name of [
    '',
    '-a',
    'a b',
    'a..b',
    'a/',
    '/a',
    'a//b',
    '.a',
    'a/.b',
    'a.',
    'a.lock',
    'a~1',
    'a^',
    'a:b',
    '@',
    'a@{1}',
    'a\\b',
    'a\nb',
    'HEAD',
    'a?',
    'a*',
    'a[',
    'x'.repeat(201),
  ])
    expect(isBranchName(name)).toBe(false)
})

test('a number is read from the ref of a successor as well', () => {
  expect(['7', '12', '7-2'].map((name) => numberOfRef(`${snapshotRefs('run/story')}${name}`))).toEqual([7, 12, 7])
})
