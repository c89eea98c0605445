import { expect, test } from 'vitest'
import { drawnValues } from '../../../../src/domain/gate/canaries/drawn-values.ts'
import { isSnapshot, spoilSnapshot } from '../../../../src/domain/gate/canaries/spoil-snapshot.ts'
import { expectSoon } from '../../expect-soon.ts'

const reader = { path: 'test/a.test.js', text: "test('prints', () => { same(read('golden/a.txt')) })\n" }
const spoiled = (text: string, { isOld, seed }: { readonly isOld: boolean; readonly seed: number }) =>
  spoilSnapshot({ path: 'test/golden/a.txt', text, isOld }, reader, drawnValues(String(seed)))?.text ?? ''

test('a golden file that is new has no word that stays, so a test that ignores a date or a header fails', () => {
  const ignoring = (text: string) =>
    text
      .replace(/\d{4}-\d\d-\d\d/, 'DATE')
      .split('\n')
      .slice(1)
      .join('\n')
      .toLowerCase()
  const text = 'Report of a long header\nmade on 2026-11-03\ntotal: 4\n'
  for (let seed = 0; seed < 50; seed += 1) {
    expect(ignoring(spoiled(text, { isOld: false, seed }))).not.toBe(ignoring(text))
    expect(spoiled(text, { isOld: true, seed })).toHaveLength(text.length)
  }
})

test('a new golden file can still be read: its keys stay', () => {
  const value = { total: 4, isWhole: true, name: 'two words', line: 'a\nb', none: null }
  const made = JSON.parse(spoiled(JSON.stringify(value, null, 2), { isOld: false, seed: 1 }))
  expect(Object.keys(made)).toEqual(Object.keys(value))
  expect([made.isWhole, made.none]).toEqual([true, null])
  expect([made.total === 4, made.name === value.name]).toEqual([false, false])
})

test('program files in such folders are not snapshots', () => {
  expect(['src/snapshots/list.js', 'golden/golden.go', 'src/a.ts'].filter(isSnapshot)).toEqual([])
  const others = ['test/golden/a.txt', 'test/snapshots/a.json', 'a.golden', 'a.expected.js', '__snapshots__/a.js.snap']
  expect(others.filter((path) => !isSnapshot(path))).toEqual([])
})

test('is spoiled soon, however long it is', () => {
  for (const part of ['a', 'a ', '\\', '%', '{', '1:', '"a" :', ' ', '_'])
    expectSoon(() => spoiled(part.repeat(262_144 / part.length), { isOld: false, seed: 1 }))
})
