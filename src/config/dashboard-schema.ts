import { z } from 'zod'

/** `dashboard` of the user's file. */
export const dashboardSchema = z.strictObject({
  editor_link: z
    .string()
    .max(500)
    .regex(/^[a-z][a-z0-9+.-]*:\/\//, { error: 'must start like vscode://' })
    .includes('{path}', { error: 'must contain {path}' })
    .default('vscode://file{path}:{line}')
    .describe('Address that opens a file in your editor. {path} is absolute, so it starts with a slash.'),
})
