import { z } from 'zod'
import { todoStates, todosDone } from '../../domain/lane/todos.ts'
import { limits } from '../../domain/limits.ts'
import { defineTool, done } from './tool.ts'

export const updateTodos = defineTool({
  kind: 'read',
  name: 'update_todos',
  purpose: 'Keep a list of your steps in long work. Give all of it each time.',
  input: () =>
    z.strictObject({
      todos: z
        .array(
          z.strictObject({
            text: z.string().min(1).max(limits.todoChars),
            status: z.enum(todoStates),
          }),
        )
        .max(limits.todos),
    }),
  roles: ['editor_coding'],
  alone: true,
  run: async ({ todos }) => ({ ...done(`Kept: ${todosDone(todos)}.`), todos }),
})
