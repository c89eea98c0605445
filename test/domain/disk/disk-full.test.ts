import { expect, test } from 'vitest'
import { isDiskFull, withDiskFull } from '../../../src/domain/disk-full.ts'
import { DrydockError } from '../../../src/domain/drydock-error.ts'

const system = (code: string) => Object.assign(new Error(`${code}: it failed, write`), { code })

test.each([
  ['no space', system('ENOSPC'), true],
  ['a quota', system('EDQUOT'), true],
  ['the cause of another error', new Error('the layer could not be kept', { cause: system('ENOSPC') }), true],
  ['one of several errors', new AggregateError([system('ENOENT'), system('ENOSPC')], 'all failed'), true],
  ['what git says', new DrydockError('disk_full', 'git commit: full', { todo: 'Free some.' }), true],
  ['another error', system('EACCES'), false],
  ['words of a model about it', new Error('the reply says ENOSPC'), false],
  ['no error', 'ENOSPC', false],
])('a full disk is known by %s', (_what, error, isFull) => {
  expect(isDiskFull(error)).toBe(isFull)
})

test('it is told with what to do, and any other error stays as it is', () => {
  const told = withDiskFull(new Error('the layer could not be kept', { cause: system('ENOSPC') }))
  expect(told).toMatchObject({
    code: 'disk_full',
    message: expect.stringContaining('the layer'),
    todo: expect.stringContaining('resume'),
  })
  const other = system('EACCES')
  expect(withDiskFull(other)).toBe(other)
  const refused = new DrydockError('receipt_failed', 'No key.', { todo: 'Make one.', cause: system('ENOSPC') })
  expect(withDiskFull(refused)).toBe(refused)
})
