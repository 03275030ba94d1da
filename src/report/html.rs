//! temporary
use super::Material;
use crate::error::Result;
/// temporary
pub fn html(_material: &Material<'_>) -> Result<String> {
    Ok(String::new())
}
