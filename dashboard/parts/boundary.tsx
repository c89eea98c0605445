import { Component, type ReactNode } from 'react'
import { Problem } from './notice.tsx'

/**
 * Contains the error of one page, so that the navigation still works. React requires a class for
 * this.
 */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <div className="page narrow">
        <Problem error={error} retry={() => window.location.reload()} />
      </div>
    )
  }
}
