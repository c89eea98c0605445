import { z } from 'zod'
import { whyRight } from './submit-change.ts'
import { defineAnsweredLater, stated } from './tool.ts'

const list = z.array(z.string().min(1).max(2_000)).max(50)

export const planInput = () =>
  z.strictObject({
    behaviour_change: z.string().min(1).max(4_000).describe('what will behave differently, and how to see it'),
    acceptance_criteria: list.min(1).describe('each one checkable'),
    non_goals: list.describe('what this change leaves alone'),
    slices: list.min(1).describe('the smallest safe steps, in order'),
    files: list.describe('files to change or create'),
    tests: list.describe('test files to change or create, or existing tests that cover it'),
    hypothesis: stated(z.string().max(4_000).describe(whyRight)),
  })

export const submitPlan = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_plan',
  purpose: 'Hand in the plan. The last call of its turn.',
  input: planInput,
  roles: ['editor_planning'],
})
