import { z } from 'zod'
import { defineAnsweredLater } from './tool.ts'

const list = z.array(z.string().min(1).max(4_000)).max(60)

export const specInput = () =>
  z.strictObject({
    title: z.string().min(1).max(100).describe('names the run and its branch'),
    goal: z.string().min(1).max(4_000).describe('what is better afterwards, and for whom'),
    behaviour: list.min(1).describe('what must hold, each with an example'),
    acceptance_criteria: list.min(1).describe('each one can be checked by a test or by reading the change'),
    non_goals: list.min(1).describe('what stays as it is, and what nobody should add'),
    open_risks: list.describe('decisions that you made for the user, and what you could not find out; may be empty'),
  })

export const submitSpec = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_spec',
  purpose: 'Hand in the spec and end. The last call of its turn.',
  input: specInput,
  roles: ['architect_interview'],
})
