import type { ComponentType } from 'react'
import { may } from '../data/may.ts'

/**
 * A part of a page that acts on work: whoever only reads sees nothing in its place, or what there
 * is to read. Every part that gives a command is made by this (test/architecture.test.ts).
 */
export function forOperators<Props extends object>(
  Acting: ComponentType<Props>,
  Reading: ComponentType<Props> | null = null,
): (props: Props) => React.JSX.Element | null {
  return (props) => {
    const Part = may('operator') ? Acting : Reading
    return Part && <Part {...props} />
  }
}
