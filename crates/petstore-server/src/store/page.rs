//! Pages: every list of the store is bounded, in the order of ids, and continues after an id.

/// The longest page there is.
pub const MAX_PAGE: u32 = 100;

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Items with ids above this one; 0 for the start.
    pub after: i64,
    /// At most this many items. Beyond [`MAX_PAGE`] it counts as that.
    pub limit: u32,
}

/// A part of a list, in the order of ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Whether there is more after the last of them.
    pub more: bool,
}

impl PageRequest {
    /// The limit as it is kept.
    pub(crate) fn bound(self) -> usize {
        self.limit.clamp(1, MAX_PAGE) as usize
    }
}

impl<T> Page<T> {
    /// The page that answers `request`, out of the first [`PageRequest::bound`] + 1 items found.
    pub(crate) fn of(mut items: Vec<T>, request: PageRequest) -> Page<T> {
        let more = items.len() > request.bound();
        items.truncate(request.bound());
        Page { items, more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_knows_whether_there_is_more() {
        let request = PageRequest { after: 0, limit: 2 };
        assert_eq!(
            Page::of(vec![1, 2], request),
            Page {
                items: vec![1, 2],
                more: false
            }
        );
        assert_eq!(
            Page::of(vec![1, 2, 3], request),
            Page {
                items: vec![1, 2],
                more: true
            }
        );
    }

    #[test]
    fn a_limit_beyond_the_bounds_is_brought_within_them() {
        assert_eq!(PageRequest { after: 0, limit: 0 }.bound(), 1);
        assert_eq!(
            PageRequest {
                after: 0,
                limit: 100
            }
            .bound(),
            100
        );
        assert_eq!(
            PageRequest {
                after: 0,
                limit: u32::MAX
            }
            .bound(),
            100
        );
    }
}
