import { z } from 'zod'
import { blobsSchema } from './blobs-schema.ts'
import { parseDatabaseUrl } from './database/database-url.ts'

/** `state` of the user's file: the storage of states' rows, and of copies of their files. */
export const stateSchema = z.strictObject({
  postgres: z
    .string()
    .refine((url) => parseDatabaseUrl(url) !== null, {
      error: 'must be like postgres://user:password@host:5432/database',
    })
    .exactOptional()
    .describe('URL of a PostgreSQL database that keeps the state. Without it a file in the state’s folder does.'),
  blobs: blobsSchema.exactOptional(),
})
