import { z } from 'zod'
import { limits } from '../../../domain/limits.ts'
import { defineAnsweredLater } from '../tool.ts'

const { lineChars, testsOfCriterion, criteria, quoteChars, quotes } = limits.writtenTests

const quote = () =>
  z.strictObject({
    value: z.string().min(1).max(lineChars).describe('the value that the test expects'),
    quote: z.string().min(1).max(quoteChars).describe('the words that demand it, exactly as they stand there'),
    file: z
      .string()
      .min(1)
      .max(limits.writtenTests.path)
      .exactOptional()
      .describe('the file of the base that has these words; leave it out for words of the story or the interface'),
  })

export const quotesInput = () =>
  z.strictObject({
    tests: z
      .array(
        z.strictObject({
          test: z.string().min(1).max(lineChars),
          quotes: z
            .array(quote())
            .max(quotes)
            .describe('one for each expected value; empty if nothing demands one of them'),
        }),
      )
      .max(testsOfCriterion * criteria),
  })

export const submitQuotes = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_quotes',
  purpose: 'Hand in what demands the expected values of every test, and end. The last call of its turn.',
  input: quotesInput,
  roles: ['architect_quotes'],
})
