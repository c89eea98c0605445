import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { versionOf } from '../../src/adapters/store/migrations.ts'
import { sharedStateSchema } from '../../src/api/workers.ts'
import { workerProtocol } from '../../src/domain/worker/shared-state.ts'

test('the messages of hubs and workers, and their shared tables, match the protocol version', () => {
  const said = createHash('sha256')
    .update(JSON.stringify(z.toJSONSchema(sharedStateSchema)))
    .digest('hex')
  const migration = Object.keys(versionOf).at(-1)
  // A change to any of the others must raise the protocol: old and new must not work side by side.
  expect({ protocol: workerProtocol, migration, said: said.slice(0, 12) }).toEqual({
    protocol: 8,
    migration: '012_written_tests',
    said: '244d3fca3e4f',
  })
})
