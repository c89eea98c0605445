import { z } from 'zod'
import { withIgnored } from './edit-file.ts'
import { defineTool, done, refuse } from './tool.ts'

export const moveFile = defineTool({
  kind: 'edit',
  name: 'move_file',
  purpose: 'Move or rename a file to a path that is free.',
  input: () => z.strictObject({ from: z.string().min(1), to: z.string().min(1) }),
  roles: ['editor_coding'],
  async prepare({ from, to }, context) {
    const { session, signal } = context
    const source = await session.request({ op: 'hash', path: from }, signal)
    if (!source.ok) return refuse(source.message)
    const target = await session.request({ op: 'hash', path: to }, signal)
    if (!target.ok) return refuse(target.message)
    const sha = source.value.sha256
    if (sha === null) return refuse(`${from} does not exist`)
    if (target.value.sha256 !== null) return refuse(`${to} already exists`)
    return {
      expectation: [
        { path: from, before: sha, after: null },
        { path: to, before: null, after: sha },
      ],
      async perform() {
        const reply = await session.request({ op: 'move', from, to }, signal)
        if (!reply.ok) return refuse(reply.message)
        return done(await withIgnored(`Moved ${from} to ${to}.`, [to], context))
      },
    }
  },
})
