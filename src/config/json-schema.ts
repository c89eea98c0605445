import { z } from 'zod'
import { repositorySchema, userSchema } from './schema.ts'

/** JSON Schema of the repository's file, for editors. */
export function repositoryJsonSchema(): object {
  return { title: "A repository's .drydock/config.json", ...z.toJSONSchema(repositorySchema, { io: 'input' }) }
}

/** JSON Schema of the user's own file, for editors. */
export function userJsonSchema(): object {
  return { title: "A user's drydock/config.json", ...z.toJSONSchema(userSchema, { io: 'input' }) }
}
