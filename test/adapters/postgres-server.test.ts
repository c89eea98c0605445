import { describe, expect, test } from 'vitest'
import { serverProblem } from '../../src/adapters/store/postgres/prepare-schema.ts'

describe('a server of PostgreSQL', () => {
  const fine = { number: 150_004, name: 'PostgreSQL 15.4 on x86_64', encoding: 'UTF8', isOwnSession: true }

  test.each([
    ['that is too old', { number: 120_022, name: 'PostgreSQL 12.22 on x86_64' }, /^PostgreSQL 12\.22 is too old/],
    ['of another encoding', { encoding: 'LATIN1' }, /LATIN1/],
    ['behind a pooler that drops settings', { isOwnSession: false }, /PgBouncer/],
  ])('%s is refused', (_what, differs, message) => {
    expect(serverProblem({ ...fine, ...differs })?.message).toMatch(message)
    expect(serverProblem(fine)).toBeNull()
  })
})
