import { expect, test } from 'vitest'
import { explained, isConnectionLost } from '../../src/adapters/store/postgres/postgres-error.ts'

const said = (code: string, message: string) => explained(Object.assign(new Error(message), { code }), 'db:5432/app')

test.each([
  ['28P01', 'password authentication failed', 'database_unusable', 'refuses the user or the password'],
  ['3D000', 'database "app" does not exist', 'database_unusable', 'does not exist'],
  ['42501', 'permission denied for database', 'database_unusable', 'lacks a right'],
  ['25006', 'cannot execute CREATE in a read-only transaction', 'database_unusable', 'can only be read'],
  ['08P01', 'unsupported startup parameter: options', 'database_unusable', 'A pooler answers at'],
  ['53300', 'too many connections for role', 'database_unreachable', 'no more connections'],
  ['53100', 'could not extend file', 'disk_full', 'no space left'],
  ['55P03', 'canceling statement due to lock timeout', 'database_unreachable', 'locked for too long'],
  ['ECONNREFUSED', 'connect ECONNREFUSED', 'database_unreachable', 'cannot be reached'],
])('an error %s of PostgreSQL is said with its place and what to do', (code, message, is, words) => {
  expect(said(code, message)).toMatchObject({ code: is, message: expect.stringContaining(words) })
  expect(said(code, message)).toMatchObject({
    message: expect.stringMatching(/db:5432\/app/),
    todo: expect.stringMatching(/./),
  })
})

test('an error of a statement is none of the server, and a connection is lost only where it ended', () => {
  const ours = Object.assign(new Error('duplicate key value'), { code: '23505' })
  expect(explained(ours, 'db')).toBe(ours)
  expect(isConnectionLost(ours)).toBe(false)
  expect(isConnectionLost(Object.assign(new Error('terminating connection'), { code: '57P01' }))).toBe(true)
  expect(isConnectionLost(Object.assign(new Error('protocol'), { code: '08P01' }))).toBe(false)
  expect(isConnectionLost(new AggregateError([Object.assign(new Error('x'), { code: 'ECONNRESET' })]))).toBe(true)
  expect(isConnectionLost(new Error('Connection terminated unexpectedly'))).toBe(true)
})
