import { z } from 'zod'
import { withIgnored } from './edit-file.ts'
import { defineTool, done, refuse } from './tool.ts'

export const deleteFile = defineTool({
  kind: 'edit',
  name: 'delete_file',
  purpose: 'Delete a file.',
  input: () => z.strictObject({ path: z.string().min(1) }),
  roles: ['editor_coding'],
  async prepare({ path }, context) {
    const { session, signal } = context
    const now = await session.request({ op: 'hash', path }, signal)
    if (!now.ok) return refuse(now.message)
    if (now.value.sha256 === null) return refuse(`${path} does not exist`)
    return {
      expectation: [{ path, before: now.value.sha256, after: null }],
      async perform() {
        const reply = await session.request({ op: 'delete', path }, signal)
        return reply.ok ? done(await withIgnored(`Deleted ${path}.`, [path], context)) : refuse(reply.message)
      },
    }
  },
})
