//! `plans.rs`: the plans of the document's `x-rate-limits`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::Plan;
use crate::source::{docs, group_digits, ident, number};
use crate::text_enum;

pub(crate) fn render(plans: &[Plan]) -> TokenStream {
    let docs = plans.iter().map(|plan| {
        docs(&match plan.limits {
            Some((minute, day)) => format!(
                "{} requests a minute, {} a day.",
                group_digits(minute, ','),
                group_digits(day, ',')
            ),
            None => "Limits are agreed with each customer.".to_owned(),
        })
    });
    let variants: Vec<_> = plans.iter().map(|plan| ident(&plan.variant)).collect();
    let limits = plans.iter().map(|plan| match plan.limits {
        None => quote!(None),
        Some((minute, day)) => {
            let (minute, day) = (number(minute), number(day));
            quote!(Some(PlanLimits { per_minute: #minute, per_day: #day }))
        }
    });
    let values: Vec<_> = plans
        .iter()
        .map(|p| (p.variant.as_str(), p.name.as_str()))
        .collect();
    let impls = text_enum::write_impls("Plan", &values, "The plan's name in the document.");
    quote! {
        //! The plans that a caller can have, and the limits of each.

        /// A plan of the document's `x-rate-limits`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Plan {
            #(#docs #variants,)*
        }

        /// Requests that a caller may send.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct PlanLimits {
            /// In a minute.
            pub per_minute: u64,
            /// In a day of UTC.
            pub per_day: u64,
        }

        #impls

        impl Plan {
            /// The limits of the plan; `None` if they are agreed with each customer.
            pub const fn limits(self) -> Option<PlanLimits> {
                match self {
                    #(Self::#variants => #limits,)*
                }
            }
        }
    }
}
