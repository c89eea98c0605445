import { expect, test } from 'vitest'
import { scripts } from '../../src/processes/installation.ts'
import { carryOut } from '../../src/security/attack.ts'
import { borrowedHistory } from '../../src/security/attacks/borrowed-history.ts'
import { openRange } from '../../src/security/range.ts'

test('an agent can change no object of the user, of the mirror or of another workspace, nor borrow one', async ({
  signal,
}) => {
  const installation = { command: [process.execPath, scripts.program], env: process.env, flags: {} }
  await using range = await openRange(installation, signal)
  expect(await carryOut(borrowedHistory, range)).toMatchObject({ observed: borrowedHistory.expected, status: 'ok' })
})
