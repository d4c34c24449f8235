//! Pages of a list: in the order of ids, with a maximum length, continued after an id.

/// The maximum number of items of a page.
pub const MAX_PAGE: u32 = 100;

/// Which page of a list to return: the id after which it starts, and its maximum number of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Items with ids above this one; 0 for the start.
    pub after: i64,
    /// Maximum number of items, from 1 to [`MAX_PAGE`]; a value outside is replaced by the nearest.
    pub limit: u32,
}

/// One page of a list: its items in the order of their ids, and whether more follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Whether more items follow the last one.
    pub more: bool,
}

impl PageRequest {
    /// Returns the maximum number of items of the page: `limit`, clamped to 1 to [`MAX_PAGE`].
    pub fn effective_limit(self) -> usize {
        self.limit.clamp(1, MAX_PAGE) as usize
    }
}

impl<T> Page<T> {
    /// Creates the page for `request` from the items found. Items beyond its limit are cut off, and set [`Page::more`].
    pub fn from_items(mut items: Vec<T>, request: PageRequest) -> Page<T> {
        let more = items.len() > request.effective_limit();
        items.truncate(request.effective_limit());
        Page { items, more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_cut_at_its_limit_and_reports_more() {
        let request = PageRequest { after: 0, limit: 2 };
        assert_eq!(
            Page::from_items(vec![1, 2], request),
            Page {
                items: vec![1, 2],
                more: false
            }
        );
        assert_eq!(
            Page::from_items(vec![1, 2, 3], request),
            Page {
                items: vec![1, 2],
                more: true
            }
        );
    }

    #[test]
    fn limit_is_clamped_to_1_and_100() {
        for (limit, effective) in [(0, 1), (100, 100), (u32::MAX, 100)] {
            assert_eq!(PageRequest { after: 0, limit }.effective_limit(), effective);
        }
    }
}
