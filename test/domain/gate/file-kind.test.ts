import { expect, test } from 'vitest'
import { isForPeople } from '../../../src/domain/gate/file-kind.ts'

test.for([
  ['tests/README.md', true],
  ['tests/docs/notes.txt', true],
  ['test/.gitignore', true],
  ['tests/out.txt', false],
  ['tests/page.golden.md', false],
  ['testdata/README.md', false],
  ['tests/fixtures/.hidden', false],
] as const)('%s is for people: %s', ([path, is]) => {
  expect(isForPeople(path)).toBe(is)
})
