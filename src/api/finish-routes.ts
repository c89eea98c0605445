import { finishSchema, landedSchema, landSchema } from './finish.ts'
import {
  receiptChecksQuerySchema,
  receiptChecksSchema,
  receiptListQuerySchema,
  receiptListSchema,
  receiptSchema,
} from './receipts.ts'

/** The routes of a result, its receipts, and the ways to land it. */
export const finishRoutes = {
  finish: {
    method: 'get',
    role: 'viewer',
    path: '/api/runs/:run/finish',
    what: 'what a Run at rest has built, its proof, and the ways out',
    answer: finishSchema,
  },
  land: {
    method: 'post',
    role: 'operator',
    path: '/api/runs/:run/land',
    what: 'put a verified result onto a branch or into the working tree, or open a change for it',
    body: landSchema,
    answer: landedSchema,
    status: 202,
  },
  receipts: {
    method: 'get',
    role: 'viewer',
    path: '/api/receipts',
    what: 'commits of the repository with what is proven of each, newest first',
    query: receiptListQuerySchema,
    answer: receiptListSchema,
  },
  receiptChecks: {
    method: 'get',
    role: 'viewer',
    path: '/api/receipts/checks',
    what: 'the receipts of some commits, verified now',
    query: receiptChecksQuerySchema,
    answer: receiptChecksSchema,
  },
  receipt: {
    method: 'get',
    role: 'viewer',
    path: '/api/receipts/:commit',
    what: 'the receipt of a commit in whole, verified now',
    answer: receiptSchema,
  },
} as const
